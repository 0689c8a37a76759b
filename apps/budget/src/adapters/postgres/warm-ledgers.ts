import type { Ledger } from '../../core/ledger.js';

/** A ledger as this process last saw it, and the database's clock as it must stand now. */
export interface Warm {
  readonly ledger: Ledger;
  /** Ms since 1970. */
  readonly now: number;
}

interface Entry {
  readonly ledger: Ledger;
  readonly now: number;
  readonly seenAt: number;
  /** Commits in a row of this process, with nobody else's between. */
  readonly inRow: number;
}

/** Ledgers kept; a run that works sends a command every few seconds. */
const MOST = 2_000;
/** After this a ledger is read again, ms. */
const KEPT_MS = 30_000;
/** A wrong guess costs a statement: where replicas take turns at a run, the ledger is read. */
const IN_ROW = 2;

/**
 * What spares a command its reading: a guess, never a truth. Whatever is decided on it commits only if the ledger's
 * version and the database's clock are what was guessed; a decision that changes nothing is made again on the real one.
 */
export class WarmLedgers {
  readonly #entries = new Map<string, Entry>();

  /** `monotonicMs` measures what went by since the database told its clock. */
  constructor(private readonly monotonicMs: () => number) {}

  /** Null unless the ledger is known and all these reservations are open in it: about settled ones the database is asked. */
  find(run: string, reservations: readonly string[]): Warm | null {
    const entry = this.#entries.get(run);
    if (!entry || entry.inRow < IN_ROW) return null;
    const passed = this.monotonicMs() - entry.seenAt;
    if (passed > KEPT_MS) {
      this.#entries.delete(run);
      return null;
    }
    const open = new Set(entry.ledger.open.map(({ reservation }) => reservation));
    if (!reservations.every((reservation) => open.has(reservation))) return null;
    return { ledger: entry.ledger, now: entry.now + Math.floor(passed) };
  }

  /**
   * Around a commit: takes out what is known of the run and returns how to keep what the commit made of it. If that is
   * not called, nobody knows how the commit ended, and nothing is remembered.
   */
  around(run: string, versionBefore: number): (ledger: Ledger, now: number) => void {
    const last = this.#entries.get(run);
    this.#entries.delete(run);
    const inRow = last?.ledger.version === versionBefore ? last.inRow + 1 : 0;
    return (ledger, now) => {
      this.#entries.set(run, { ledger, now, seenAt: this.monotonicMs(), inRow });
      if (this.#entries.size <= MOST) return;
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        return;
      }
    };
  }
}
