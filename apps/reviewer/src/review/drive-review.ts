/** One review from its claim to its end, a lost lease, or the next owner: the record decides each step. */
import { decideNext } from '../core/decide-next.js';
import { RECORD_FORMAT } from '../core/facts.js';
import { settleAll, takeOver } from './budget-calls.js';
import { failed, giveVerdict } from './give-verdict.js';
import { requestReview } from './request-review.js';
import type { ReviewContext } from './review-context.js';
import { sha256 } from './sha256.js';

/** A hand-over tells budget what was cut, if budget answers in this time. */
const HAND_OVER_MS = 2_000;

export async function driveReview(c: ReviewContext, orderBody: Buffer): Promise<'ended' | 'handed_over'> {
  await start(c, orderBody);
  const unreachable = await takeOver(c);
  for (;;) {
    c.checkLease();
    const step = decideNext(c.log.state, c.situation());
    switch (step.do) {
      case 'close':
        await close(c);
        return 'ended';
      case 'mark_unknown':
        await markUnknown(c, step.request);
        break;
      case 'give_up':
        await giveVerdict(c, failed(step.code));
        break;
      case 'request':
        if (c.handingOver) {
          await settleAll(c, HAND_OVER_MS);
          return 'handed_over';
        }
        if (unreachable === null) await requestReview(c, step.request);
        else await giveVerdict(c, failed(unreachable));
        break;
    }
  }
}

async function start(c: ReviewContext, orderBody: Buffer): Promise<void> {
  if (c.log.state.started) return;
  const { review, run } = c.order;
  const order = { digest: sha256(orderBody).toString('hex'), bytes: orderBody.length };
  await c.log.append([{ type: 'ReviewStarted', format: RECORD_FORMAT, review, run, order }], { bodies: [orderBody] });
}

/** The owner that sent it is gone: nobody can say how it ended (L4). */
async function markUnknown(c: ReviewContext, request: number): Promise<void> {
  const intent = c.log.state.requests.find((one) => one.intent.request === request)?.intent;
  const lost = { outcome: 'unknown', content: false, code: 'owner_lost', usage: null } as const;
  await c.log.append([{ type: 'ReviewAnswered', request, ...lost, status: null, answer: null }]);
  if (intent) c.unsettled.push({ reservation: intent.reservation, ...lost });
}

/** The verdict is out; what is left is to settle. Budget that is away for long settles by itself (B15). */
async function close(c: ReviewContext): Promise<void> {
  const settled = await settleAll(c);
  c.checkLease();
  await c.log.append([{ type: 'ReviewClosed', settled }], { patch: { state: 'ended', release: true } });
}
