import type { ActivityReport } from '@waymark/contracts/budget';

/** Intervals told to budget at most; more are joined where they lie closest. */
const MOST_INTERVALS = 100;

/** What ran under one grant, in ms since it was received, by the monotonic clock (B5). */
export class GrantActivity {
  readonly #receivedAt = performance.now();
  readonly #intervals: { startMs: number; endMs: number }[] = [];
  #running = 0;
  #since = 0;

  constructor(readonly reservation: string) {}

  get elapsedMs(): number {
    return performance.now() - this.#receivedAt;
  }

  /** Counts as execution from now until the returned function is called; overlapping ones count once. */
  begin(): () => void {
    if (this.#running === 0) this.#since = this.elapsedMs;
    this.#running += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#running -= 1;
      if (this.#running === 0) this.#add(this.#since, this.elapsedMs);
    };
  }

  report(closed: boolean): ActivityReport {
    const open = this.#running > 0 ? [{ startMs: this.#since, endMs: this.elapsedMs }] : [];
    return { reservation: this.reservation, intervals: [...this.#intervals, ...open], closed };
  }

  #add(startMs: number, endMs: number): void {
    this.#intervals.push({ startMs, endMs });
    if (this.#intervals.length <= MOST_INTERVALS) return;
    // Joining charges the gap between two intervals as execution: never less than what ran.
    const [first, second] = this.#intervals.splice(0, 2);
    if (first && second) this.#intervals.unshift({ startMs: first.startMs, endMs: second.endMs });
  }
}
