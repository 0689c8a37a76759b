/** What the steps of one run share while this replica owns it. */
import type { ActivityReport, BudgetSnapshot, Grant, Settlement } from '@waymark/contracts/budget';
import type { PublicationSnapshot } from '@waymark/contracts/publication';
import type { ComposeReply, Quiet } from '@waymark/contracts/reminder';
import type { Bus } from '@waymark/messaging';
import type { ModelProvider } from '@waymark/model';
import type { InboxStore, RecordStore } from '@waymark/persistence/holder';
import type { RunAdmitted } from '@waymark/record';
import type { Logger } from '@waymark/telemetry';
import type { HotBodies } from '../adapters/redis/hot-bodies.js';
import type { RuntimeConfig } from '../config.js';
import type { RunState } from '../core/run-state.js';
import type { BodyCache } from './body-cache.js';
import type { Failpoint } from './failpoint.js';
import type { GrantActivity } from './grant-activity.js';
import type { RequestContent } from './request-content.js';
import type { RunLog } from './run-log.js';

/** What all runs of a replica share. */
export interface Platform {
  readonly bus: Bus;
  readonly provider: ModelProvider;
  readonly records: RecordStore;
  readonly inbox: InboxStore;
  readonly hot: HotBodies;
  readonly config: RuntimeConfig;
  readonly logger: Logger;
  readonly failpoint: Failpoint;
  /** The words of whoever stopped the run. */
  readonly stopReason: (run: string) => Promise<string | null>;
  /** Right after a commit: the outbox has something. */
  readonly kick: () => void;
}

export interface HeldGrant {
  readonly grant: Grant;
  readonly snapshot: BudgetSnapshot;
  readonly activity: GrantActivity;
  /** Its request's intent is durable: from here on it may have been sent. */
  used: boolean;
}

export class RunContext {
  readonly #work: AbortSignal;
  /** Settlements and reports that ride with the next reservation. */
  unsettled: Settlement[] = [];
  activities: ActivityReport[] = [];
  /** The grant whose request and actions are under way. */
  held: HeldGrant | null = null;
  budget: BudgetSnapshot | null = null;
  publication: { snapshot: PublicationSnapshot; stale: boolean } | null = null;
  /** Until when compose has nothing to say (architecture, one turn). */
  quiet: Quiet | null = null;
  /** The commit of the last outcome. Only actions that read may begin before it is made (architecture, one turn). */
  outcome: Promise<void> = Promise.resolve();
  candidate: ComposeReply['reviewCandidate'] = null;
  reviewSince: number | null = null;
  /** The turn whose answer this owner itself recorded: its effects have not been begun by anybody before. */
  freshTurn = 0;
  inboxSeq = 0;
  cancelled = false;
  /** Asked to hand over at the next turn's border. */
  draining = false;
  snapshotSeq = 0;
  /** Ms from admission to this owner's claim, by the database's clock. */
  ageAtClaimMs = 0;
  readonly #claimedAt = performance.now();

  constructor(
    readonly run: string,
    readonly epoch: number,
    readonly platform: Platform,
    readonly log: RunLog,
    readonly bodies: BodyCache,
    readonly content: RequestContent,
    readonly admitted: RunAdmitted,
    /** Aborted when the lease is lost or the replica must go now. */
    private readonly life: AbortSignal,
    /** Aborted when the run is stopped. */
    stop: AbortSignal,
    readonly leaseLeftMs: () => number,
  ) {
    this.#work = AbortSignal.any([life, stop]);
  }

  /** Ends whatever is in flight. What a stopped run still does, its ending, is ended by the lease alone. */
  get signal(): AbortSignal {
    return this.cancelled || this.state.phase === 'ending' ? this.life : this.#work;
  }

  /** Wall time counts from admission. */
  get admittedAgeMs(): number {
    return this.ageAtClaimMs + (performance.now() - this.#claimedAt);
  }

  get state(): RunState {
    return this.log.state;
  }

  get holder(): 'run' {
    return 'run';
  }
}
