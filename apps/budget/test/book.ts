import type { ParsedRequestOf } from '@waymark/contracts';
import type { budgetContracts, BudgetFact, Purpose, Settlement } from '@waymark/contracts/budget';
import type { Limits } from '@waymark/contracts/policy';
import { decideClose } from '../src/core/decide-close.js';
import { decideOpen } from '../src/core/decide-open.js';
import { decideReserve } from '../src/core/decide-reserve.js';
import { decideSettle } from '../src/core/decide-settle.js';
import { snapshotReply } from '../src/core/decide-snapshot.js';
import { decideSweep } from '../src/core/decide-sweep.js';
import { decideTakeOver } from '../src/core/decide-take-over.js';
import { draftOf, type Decision } from '../src/core/draft.js';
import { fold } from '../src/core/evolve.js';
import type { Ledger, SettledReservation } from '../src/core/ledger.js';

type Reserve = ParsedRequestOf<typeof budgetContracts.reserve>;
type Report = Reserve['activities'][number];

export const MINUTE = 60_000;
export const RUN = '0197b1c2-0000-7000-8000-000000000001';
export const LEASE_MS = 20_000;

/** Numbers of the policy `standard`. */
export const STANDARD: Limits = {
  exploreRequests: 40,
  finishRequests: 2,
  finishReserve: 6,
  physicalRequests: 86,
  activeMs: 60 * MINUTE,
  wallMs: 120 * MINUTE,
  outputMs: 6 * MINUTE,
  userDeadlineMs: null,
};

/** A ledger with a clock and its stored rows, in memory: what the store does, without the store. */
export class Book {
  now = 1_760_000_000_000;
  ledger!: Ledger;
  readonly facts: BudgetFact[] = [];
  readonly settled = new Map<string, SettledReservation>();
  private keys = 0;

  constructor(limits: Partial<Limits> = {}, admittedAgeMs = 0) {
    const command = { run: RUN, limits: { ...STANDARD, ...limits }, policyVersion: 1, admittedAgeMs };
    this.commit(decideOpen(null, command, this.now));
  }

  pass(ms: number): this {
    this.now += ms;
    return this;
  }

  reserve(purpose: Purpose = 'explore', more: Partial<Omit<Reserve, 'purpose'>> = {}) {
    const holder = more.holder ?? 'run';
    const epoch = more.epoch ?? 1;
    this.keys += 1;
    const command: Reserve = {
      run: RUN,
      holder,
      epoch,
      purpose,
      key: `${holder}/${epoch}/${this.keys}`,
      settlements: [],
      activities: [],
      ...more,
    };
    return this.commit(decideReserve(draftOf(this.ledger, [...this.settled.values()]), command, this.now));
  }

  /** Reserves and returns the reservation; throws when it was refused. */
  granted(purpose: Purpose = 'explore', more: Parameters<Book['reserve']>[1] = {}): string {
    const { grant, refusal } = this.reserve(purpose, more);
    if (!grant) throw new Error(refusal?.message);
    return grant.reservation;
  }

  settle(settlements: Settlement[], activities: Report[] = [], holder = 'run', epoch = 1) {
    const command = { run: RUN, holder, epoch, settlements, activities };
    return this.commit(decideSettle(draftOf(this.ledger, [...this.settled.values()]), command, this.now));
  }

  takeOver(epoch: number, { holder = 'run', heartbeatAgeMs = 0, leaseEndAgeMs = 0 } = {}) {
    const command = { run: RUN, holder, epoch, heartbeatAgeMs, leaseEndAgeMs };
    return this.commit(decideTakeOver(this.ledger, command, this.now));
  }

  close(epoch = 1, reason = 'ending') {
    return this.commit(decideClose(this.ledger, { run: RUN, epoch, reason }, this.now));
  }

  sweep() {
    return this.commit(decideSweep(this.ledger, this.now, LEASE_MS));
  }

  snapshot() {
    return snapshotReply(this.ledger, this.now).snapshot;
  }

  rebuilt(): Ledger {
    return fold(RUN, this.facts);
  }

  private commit<Reply>({ draft, reply }: Decision<Reply>): Reply {
    this.ledger = draft.ledger;
    this.facts.push(...draft.facts);
    for (const row of draft.changed) this.settled.set(row.reservation, row);
    return reply;
  }
}

export function completed(reservation: string, more: Partial<Settlement> = {}): Settlement {
  return { reservation, outcome: 'completed', content: true, code: null, usage: null, ...more };
}
export function failed(reservation: string, content: boolean, code = 'rate_limited'): Settlement {
  return { reservation, outcome: 'failed', content, code, usage: null };
}
export function unknown(reservation: string, more: Partial<Settlement> = {}): Settlement {
  return { reservation, outcome: 'unknown', content: false, code: 'stream_cut', usage: null, ...more };
}
export function notSent(reservation: string): Settlement {
  return { reservation, outcome: 'not_sent', content: false, code: null, usage: null };
}
/** A report of what ran, in ms since the grant; the activity is over. */
export function ran(reservation: string, ...intervals: [number, number][]): Report {
  return { reservation, closed: true, intervals: intervals.map(([startMs, endMs]) => ({ startMs, endMs })) };
}
