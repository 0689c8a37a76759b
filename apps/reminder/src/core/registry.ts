import type { TypeRule } from './reminder-type.js';
import { activeTime } from './types/active-time.js';
import { blockRevisions } from './types/block-revisions.js';
import { contextBytes } from './types/context-bytes.js';
import { exploreRequests } from './types/explore-requests.js';
import { finishReserve } from './types/finish-reserve.js';
import { partlyReadSources } from './types/partly-read-sources.js';
import { runRevisions } from './types/run-revisions.js';
import { wallClock } from './types/wall-clock.js';
import { workReview } from './types/work-review.js';

/** In presentation order, that of `REMINDER_TYPES` (R2). */
export const REGISTRY: readonly TypeRule[] = [
  exploreRequests,
  finishReserve,
  activeTime,
  wallClock,
  contextBytes,
  blockRevisions,
  runRevisions,
  workReview,
  partlyReadSources,
];
