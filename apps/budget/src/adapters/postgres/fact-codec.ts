/**
 * How facts are stored: one row holds the facts of one command, as compact JSON.
 *
 * 1. The row's sequence is that of its last fact. A grant's reservation is its own sequence number, its holder and epoch
 *    stand in its key; times are differences to the row's time.
 * 2. Released rows are read for ever: a new shape gets a new format number. `test/corpus` holds rows of each.
 */
import { Buffer } from 'node:buffer';
import type { BudgetFact, Purpose, SettlementOutcome, Usage } from '@waymark/contracts/budget';
import type { Limits } from '@waymark/contracts/policy';
import { reservationId } from '../../core/reservation-id.js';

const FORMAT = 1;
type TimeLimit = 'active' | 'wall' | 'user';
type PackedUsage = readonly [number | null, number | null, number | null, number | null] | null;
type Packed =
  | readonly ['o', Limits, number, number]
  | readonly ['h', string, number]
  | readonly ['g', string, Purpose, number, TimeLimit]
  | readonly ['s', string, SettlementOutcome, 0 | 1, string | null, PackedUsage, 0 | 1]
  | readonly ['p', string, Purpose, 'completed' | 'failed', PackedUsage, PackedUsage]
  | readonly ['a', string, readonly number[], number | null]
  | readonly ['n', TimeLimit]
  | readonly ['r', TimeLimit, number]
  | readonly ['c', string];

export interface StoredFacts {
  /** Ms of the budget's clock since 1970. */
  readonly at: number;
  /** Sequence number of the first fact. */
  readonly first: number;
  readonly facts: readonly BudgetFact[];
}

export function encodeFacts(at: number, first: number, facts: readonly BudgetFact[]): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, at, ...facts.map((fact, i) => pack(fact, at, first + i))]));
}

/** `last` is the row's sequence number. */
export function decodeFacts(body: Buffer, last: number): StoredFacts {
  const [format, at, ...packed] = JSON.parse(body.toString('utf8')) as [number, number, ...Packed[]];
  if (format !== FORMAT) throw new Error(`facts in format ${format}: this release reads ${FORMAT}`);
  const first = last - packed.length + 1;
  return { at, first, facts: packed.map((one, i) => unpack(one, at, first + i)) };
}

function pack(fact: BudgetFact, at: number, seq: number): Packed {
  switch (fact.type) {
    case 'BudgetOpened':
      return ['o', fact.limits, fact.policyVersion, fact.admittedAt - at];
    case 'HolderTakenOver':
      return ['h', fact.holder, fact.epoch];
    case 'ReservationGranted':
      if (fact.at !== at || fact.reservation !== reservationId(seq)) throw new Error('a grant belongs to its own row');
      return ['g', fact.key, fact.purpose, fact.deadlineAt - at, fact.bound];
    case 'RequestSettled': {
      const { reservation, outcome, content, code, usage, by } = fact;
      return ['s', reservation, outcome, content ? 1 : 0, code, packUsage(usage), by === 'budget' ? 1 : 0];
    }
    case 'SettlementProved': {
      const { reservation, purpose, outcome, usage, counted } = fact;
      return ['p', reservation, purpose, outcome, packUsage(usage), packUsage(counted)];
    }
    case 'ActivityClosed': {
      const edges = fact.intervals.flat().map((edge) => at - edge);
      return ['a', fact.reservation, edges, fact.unknownFrom === null ? null : at - fact.unknownFrom];
    }
    case 'LimitNeared':
      return ['n', fact.limit];
    case 'LimitReached':
      return ['r', fact.limit, fact.overshootMs];
    case 'BudgetClosed':
      return ['c', fact.reason];
    default:
      return fact satisfies never;
  }
}

function unpack(packed: Packed, at: number, seq: number): BudgetFact {
  switch (packed[0]) {
    case 'o':
      return { type: 'BudgetOpened', limits: packed[1], policyVersion: packed[2], admittedAt: at + packed[3] };
    case 'h':
      return { type: 'HolderTakenOver', holder: packed[1], epoch: packed[2] };
    case 'g': {
      const [, key, purpose, leftMs, bound] = packed;
      const [holder, epoch] = key.split('/') as [string, string];
      const reservation = reservationId(seq);
      const times = { at, deadlineAt: at + leftMs };
      return { type: 'ReservationGranted', reservation, key, holder, epoch: Number(epoch), purpose, ...times, bound };
    }
    case 's': {
      const [, reservation, outcome, content, code, usage, byBudget] = packed;
      const by = byBudget === 1 ? 'budget' : 'holder';
      return {
        ...{ type: 'RequestSettled' as const, reservation, outcome, content: content === 1, code, by },
        usage: unpackUsage(usage),
      };
    }
    case 'p': {
      const [, reservation, purpose, outcome, usage, counted] = packed;
      const numbers = { usage: unpackUsage(usage), counted: unpackUsage(counted) };
      return { type: 'SettlementProved', reservation, purpose, outcome, ...numbers };
    }
    case 'a': {
      const [, reservation, edges, unknownFrom] = packed;
      const intervals = edges.flatMap((edge, i) =>
        i % 2 === 0 ? [[at - edge, at - (edges[i + 1] ?? edge)] as const] : [],
      );
      return {
        type: 'ActivityClosed',
        reservation,
        intervals,
        unknownFrom: unknownFrom === null ? null : at - unknownFrom,
      };
    }
    case 'n':
      return { type: 'LimitNeared', limit: packed[1], at };
    case 'r':
      return { type: 'LimitReached', limit: packed[1], overshootMs: packed[2], at };
    case 'c':
      return { type: 'BudgetClosed', reason: packed[1], at };
    default:
      return packed satisfies never;
  }
}

function packUsage(usage: Usage | null): PackedUsage {
  return usage && [usage.inputTokens, usage.outputTokens, usage.cachedInputTokens, usage.costMicros];
}

function unpackUsage(packed: PackedUsage): Usage | null {
  if (!packed) return null;
  const [inputTokens, outputTokens, cachedInputTokens, costMicros] = packed;
  return { inputTokens, outputTokens, cachedInputTokens, costMicros };
}
