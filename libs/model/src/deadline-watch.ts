import type { RequestDeadlines } from './core/effective-deadlines.js';

export type Expiry = 'first_content_timeout' | 'progress_timeout' | 'total_timeout';

/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The three timers of one request (T1), by the monotonic clock. Only {@link DeadlineWatch.content} is progress. */
export class DeadlineWatch {
  private readonly total: NodeJS.Timeout;
  private waiting: NodeJS.Timeout;
  private hasContent = false;

  constructor(
    private readonly deadlines: RequestDeadlines,
    private readonly onExpiry: (expiry: Expiry) => void,
  ) {
    this.total = start(deadlines.totalMs, () => onExpiry('total_timeout'));
    this.waiting = start(deadlines.firstContentMs, () => onExpiry('first_content_timeout'));
  }

  content(): void {
    if (this.hasContent) {
      this.waiting.refresh();
      return;
    }
    this.hasContent = true;
    clearTimeout(this.waiting);
    this.waiting = start(this.deadlines.progressMs, () => this.onExpiry('progress_timeout'));
  }

  stop(): void {
    clearTimeout(this.total);
    clearTimeout(this.waiting);
  }
}

const start = (ms: number, fire: () => void): NodeJS.Timeout =>
  setTimeout(fire, Math.min(LONGEST_TIMER_MS, Math.max(0, ms)));
