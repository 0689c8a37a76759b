/** Which resident bodies leave the request (C3). */
import type { Policy } from '@waymark/contracts/policy';
import type { RecordFact, ResultEntry } from '@waymark/record';
import { resultPart, type SizeOf, type TurnEntry } from './content.js';
import type { RunState } from './run-state.js';

type ResultsRetired = Extract<RecordFact, { type: 'ResultsRetired' }>;
/**
 * A stub is about this long in either API's frame (its title makes more difference than the frame): a body not larger gains
 * nothing by leaving. An estimate that only steers; whether a request fits is measured on its bytes.
 */
const STUB_BYTES = 260;

interface Resident {
  readonly turn: number;
  readonly entry: ResultEntry;
  readonly bytes: number;
}

/** Residency target in bytes: the smaller of the policy's and half of what the hard limit leaves beside the floor. */
export function residencyTarget(policy: Policy, hard: number, floorBytes: number): number {
  return Math.max(0, Math.min(policy.context.residencyBytes, Math.floor((hard - floorBytes) / 2)));
}

/**
 * Past the target, bodies that the model has had in a completed request retire, longest unused first and large before
 * small, down to the low-water mark; a body that was read back stays for some turns. Null: nothing to do.
 */
export function decideRetirement(s: RunState, target: number, sizeOf: SizeOf): ResultsRetired | null {
  const policy = s.admitted?.policy;
  if (!policy) return null;
  const residents = residentResults(s, sizeOf);
  let total = residents.reduce((sum, r) => sum + r.bytes, 0);
  if (total <= target) return null;
  const low = Math.floor((target * policy.context.lowWaterPercent) / 100);
  const leaving = residents
    .filter((r) => mayRetire(r, s.turn, policy.context.readBackTurns))
    .sort((a, b) => a.turn - b.turn || b.bytes - a.bytes);
  const items: ResultsRetired['items'][number][] = [];
  for (const r of leaving) {
    if (total <= low) break;
    items.push({ action: r.entry.action, had: hadOf(r.entry) });
    total -= r.bytes - STUB_BYTES;
  }
  return items.length === 0 ? null : { type: 'ResultsRetired', reason: 'residency', items };
}

/** Every body that the model has had gives way: a rung of the ladder (C17). */
export function retireAll(s: RunState, sizeOf: SizeOf): ResultsRetired | null {
  const items = residentResults(s, sizeOf)
    .filter((r) => r.entry.seen > 0 && r.bytes > STUB_BYTES)
    .map((r) => ({ action: r.entry.action, had: hadOf(r.entry) }));
  return items.length === 0 ? null : { type: 'ResultsRetired', reason: 'fit', items };
}

export function residentResults(s: RunState, sizeOf: SizeOf): Resident[] {
  const out: Resident[] = [];
  for (const turn of s.transcript.entries) {
    if (turn.kind !== 'turn') continue;
    for (const [index, entry] of turn.results.entries()) {
      if (entry.form.form === 'stub') continue;
      const part = resultPart(turn satisfies TurnEntry, index, entry);
      if (part) out.push({ turn: turn.turn, entry, bytes: sizeOf(part) });
    }
  }
  return out;
}

function mayRetire(r: Resident, now: number, readBackTurns: number): boolean {
  if (r.entry.seen === 0 || r.bytes <= STUB_BYTES) return false;
  return r.entry.tool !== 'read_back' || now - r.turn >= readBackTurns;
}

function hadOf(entry: ResultEntry): (readonly [number, number])[] {
  switch (entry.form.form) {
    case 'full':
      return entry.settled.result.bytes === 0 ? [] : [[0, entry.settled.result.bytes]];
    case 'head':
      return [[0, entry.form.bytes]];
    case 'stub':
      return [...entry.form.had];
  }
}
