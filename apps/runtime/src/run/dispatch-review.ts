/** Step 9: from a candidate through admission to a dispatch: three records, one commit for order and fact (V1, R11). */
import { WORK } from '@waymark/contracts/streams';
import type { ReviewOrder } from '@waymark/contracts/reviewer';
import { textOf, type RecordFact } from '@waymark/record';
import type { NewMessage } from '@waymark/persistence/holder';
import { admitReview } from '../core/decide-review.js';
import type { RunContext } from './run-context.js';

/** Takes up the candidate that compose raised with this turn's request, if any. */
export async function considerCandidate(c: RunContext): Promise<void> {
  const raised = c.candidate;
  c.candidate = null;
  if (!raised || !c.budget) return;
  const candidate = c.state.review.candidates + 1;
  c.log.note({
    type: 'ReviewRaised',
    activeMs: Math.round(c.budget.active.usedMs),
    candidate,
    reason: raised.reason,
    value: raised.basis.value,
    limit: raised.basis.limit,
  });
  const admission = admitReview(c.state, c.budget, c.publication?.snapshot ?? null, 'candidate');
  if (!admission.admit) {
    c.log.note({ type: 'ReviewDeclined', candidate, code: admission.code });
    return;
  }
  const { fact, message } = await orderReview(c, candidate, null);
  c.platform.failpoint('before:dispatch');
  await c.log.append([fact], { messages: [message] });
  c.reviewSince = performance.now();
  c.platform.failpoint('after:dispatch');
}

/** The fact and the order that go into one commit. The review's id is the run's count, so a repeated step is one review. */
export async function orderReview(
  c: RunContext,
  candidate: number | null,
  focus: string | null,
): Promise<{ readonly fact: Extract<RecordFact, { type: 'ReviewDispatched' }>; readonly message: NewMessage }> {
  const { policy, language, model, question } = c.admitted;
  const review = `${c.run}.${c.state.review.dispatched + 1}`;
  await c.bodies.load([question]);
  const order: ReviewOrder = {
    review,
    run: c.run,
    question: textOf(question, (ref) => c.bodies.get(ref)),
    language,
    model: model.name,
    focus,
    policyVersion: policy.version,
    epoch: c.epoch,
    deadlineMs: policy.deadlines.reviewMs,
    deadlines: {
      firstContentMs: policy.deadlines.firstContentMs,
      progressMs: policy.deadlines.progressMs,
      totalMs: policy.deadlines.totalMs,
    },
    hardLimitBytes: c.state.hard,
  };
  return {
    fact: {
      type: 'ReviewDispatched',
      review,
      candidate,
      deadlineMs: policy.deadlines.reviewMs,
      activeMs: Math.round(c.budget?.active.usedMs ?? 0),
    },
    message: { subject: WORK.review, msgId: `review/${review}`, body: Buffer.from(JSON.stringify(order)) },
  };
}

/** After its deadline the run goes on without a verdict (V2). */
export function noteOverdue(c: RunContext): void {
  const running = c.state.review.running;
  if (!running) return;
  c.reviewSince ??= performance.now();
  if (performance.now() - c.reviewSince < running.deadlineMs) return;
  c.log.note({ type: 'ReviewOverdue', review: running.review });
  c.reviewSince = null;
}
