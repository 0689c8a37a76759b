/** Durable timers: at each time limit minus the output time, and at each limit, each once (B5). */
import type { Alarm, Ledger, TimeLimit } from './ledger.js';
import { timesLeft } from './time-left.js';

export interface PendingAlarm {
  readonly limit: TimeLimit;
  readonly stage: 'neared' | 'reached';
  /** Ms until it is due, 0 or less when it is; Infinity while the clock of its limit stands still. */
  readonly inMs: number;
}

/** Alarms not given yet, the earliest first. A closed budget gives none. */
export function pendingAlarms(ledger: Ledger, now: number): readonly PendingAlarm[] {
  if (ledger.closedAt !== null) return [];
  return timesLeft(ledger, now)
    .flatMap(({ limit, leftMs }): PendingAlarm[] => [
      { limit, stage: 'neared', inMs: leftMs - ledger.limits.outputMs },
      { limit, stage: 'reached', inMs: leftMs },
    ])
    .filter(({ limit, stage }) => !ledger.alarms.includes(`${limit}/${stage}` satisfies Alarm))
    .map((alarm) => (runs(ledger, alarm.limit) || alarm.inMs <= 0 ? alarm : { ...alarm, inMs: Infinity }))
    .sort((a, b) => a.inMs - b.inMs);
}

function runs(ledger: Ledger, limit: TimeLimit): boolean {
  return limit !== 'active' || ledger.running.length > 0;
}
