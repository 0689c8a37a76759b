import type { ActivityReport, Settlement } from '@waymark/contracts/budget';
import type { ReviewOrder } from '@waymark/contracts/reviewer';
import type { Bus } from '@waymark/messaging';
import type { Claim } from '@waymark/persistence/holder';
import type { ModelProvider } from '@waymark/model';
import type { Logger } from '@waymark/telemetry';
import type { Situation } from '../core/decide-next.js';
import { LeaseLost, type ReviewLog } from './review-log.js';
import type { Reports } from '../adapters/nats/reports.js';

/** What all reviews of a replica share. */
export interface Platform {
  readonly bus: Bus;
  readonly reports: Reports;
  readonly provider: ModelProvider;
  /** Instead of the order's model, when set. */
  readonly modelName: string | undefined;
  readonly outputCap: number | undefined;
  readonly logger: Logger;
}

/** One review under one claim: what its owner knows, holds and still has to tell. */
export class ReviewContext {
  /** How requests ended that budget has not heard of. */
  unsettled: Settlement[] = [];
  activities: ActivityReport[] = [];
  /** A reserve call whose answer never came: it may have been granted. */
  mayHoldMore = false;
  /** Requests under this claim. */
  attempts = 0;
  refits = 0;
  hardLimitBytes: number;
  /** Version of the report that was seen last. */
  reportVersion = 0;
  stopped: boolean;
  /** The replica must go: what is under way is cut, told and left to the next owner. */
  handingOver = false;

  /** Aborted when the lease is lost. */
  readonly life = new AbortController();
  /** Aborted as well by a stop and by a hand-over: cuts what is under way. */
  readonly work = new AbortController();

  private readonly firstRequests: number;

  constructor(
    readonly platform: Platform,
    readonly claim: Claim,
    readonly order: ReviewOrder,
    readonly log: ReviewLog,
    /** By this process's monotonic clock. */
    private readonly deadlineAt: number,
    readonly leaseLeftMs: () => number,
  ) {
    this.hardLimitBytes = order.hardLimitBytes;
    this.stopped = claim.cancelled;
    this.firstRequests = log.state.requests.length;
  }

  get run(): string {
    return this.order.run;
  }
  get epoch(): number {
    return this.claim.epoch;
  }
  get holder(): string {
    return `review:${this.order.review}`;
  }
  get deadlineLeftMs(): number {
    return this.deadlineAt - performance.now();
  }

  situation(): Situation {
    const { stopped, deadlineLeftMs } = this;
    const recorded = this.log.state.requests.length > this.firstRequests;
    return { stopped, deadlineLeftMs, claims: recorded ? 0 : this.claim.claims };
  }

  stop(): void {
    this.stopped = true;
    this.work.abort();
  }

  lose(): void {
    this.life.abort();
    this.work.abort();
  }

  handOver(): void {
    this.handingOver = true;
    this.work.abort();
  }

  /** Before anything that others would see. */
  checkLease(): void {
    if (this.life.signal.aborted || this.leaseLeftMs() <= 0) throw new LeaseLost('the lease is over');
  }
}
