import type { InboxDelivery } from '@waymark/contracts/runtime';
import type { Verdict } from '@waymark/contracts/reviewer';
import { WORK } from '@waymark/contracts/streams';
import { outboxRow } from '@waymark/persistence';
import type { ReviewFact } from '../core/facts.js';
import type { ReviewContext } from './review-context.js';

type Judged = Pick<Verdict, 'outcome' | 'points' | 'code'>;

/** The verdict and its delivery into the run's inbox are one commit; its key makes it once there (V2). */
export async function giveVerdict(
  c: ReviewContext,
  judged: Judged,
  before: readonly ReviewFact[] = [],
  bodies: readonly Uint8Array[] = [],
): Promise<void> {
  const { review, run } = c.order;
  const verdict: Verdict = { review, run, ...judged, reportVersion: c.reportVersion };
  const delivery: InboxDelivery = { run, key: `verdict/${review}`, kind: 'verdict', verdict };
  await c.log.append([...before, { type: 'VerdictGiven', verdict }], {
    bodies,
    messages: [outboxRow({ subject: WORK.inbox.verdict, msgId: `${run}/${delivery.key}`, body: delivery })],
    patch: { state: 'ending' },
  });
  c.platform.logger.info({ run, review, outcome: verdict.outcome, code: verdict.code }, 'verdict given');
}

export const failed = (code: string): Judged => ({ outcome: 'failed', points: [], code });
