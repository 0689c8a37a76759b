/** How a settled reservation is stored: its outcome and purpose as one letter each. */
import type { Purpose, SettlementOutcome, Usage } from '@waymark/contracts/budget';
import type { SettledReservation } from '../../core/ledger.js';
import { reservationId, reservationNumber } from '../../core/reservation-id.js';

/** Columns of `reservation` in the order of {@link RESERVATION_COLUMNS}. */
export type ReservationRow = [
  n: number,
  at: number,
  purpose: string,
  outcome: string,
  key: string,
  counted: string | null,
];
export const RESERVATION_COLUMNS = 'n, at, purpose, outcome, key, counted';

type Ended = Pick<SettledReservation, 'outcome' | 'failedWithContent' | 'proved'>;
const OUTCOMES: Readonly<Record<string, Ended>> = {
  c: { outcome: 'completed', failedWithContent: false, proved: false },
  f: { outcome: 'failed', failedWithContent: false, proved: false },
  g: { outcome: 'failed', failedWithContent: true, proved: false },
  u: { outcome: 'unknown', failedWithContent: false, proved: false },
  n: { outcome: 'not_sent', failedWithContent: false, proved: false },
  C: { outcome: 'completed', failedWithContent: false, proved: true },
  F: { outcome: 'failed', failedWithContent: false, proved: true },
};
const PURPOSES: Readonly<Record<string, Purpose>> = { e: 'explore', f: 'finish', s: 'summarize', r: 'review' };

export function toRow({ reservation, at, purpose, key, counted, ...ended }: SettledReservation): ReservationRow {
  const n = reservationNumber(reservation);
  if (n === undefined) throw new Error(`"${reservation}" is no reservation of ours`);
  return [n, at, purpose.charAt(0), letterOf(ended), key, counted && JSON.stringify(counted)];
}

export function fromRow([n, at, purpose, outcome, key, counted]: ReservationRow): SettledReservation {
  const [ended, why] = [OUTCOMES[outcome], PURPOSES[purpose]];
  if (!ended || !why) throw new Error(`reservation ${n}: outcome "${outcome}", purpose "${purpose}" are not known`);
  const usage = counted === null ? null : (JSON.parse(counted) as Usage);
  return { reservation: reservationId(n), key, purpose: why, at, ...ended, counted: usage };
}

function letterOf({ outcome, failedWithContent, proved }: Ended): string {
  const letters: Record<SettlementOutcome, string> = { completed: 'c', failed: 'f', unknown: 'u', not_sent: 'n' };
  const letter = letters[outcome];
  if (proved) return letter.toUpperCase();
  return failedWithContent ? 'g' : letter;
}
