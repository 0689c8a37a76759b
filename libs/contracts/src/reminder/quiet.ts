import type { ComposeReply, ComposeRequest, QuietUntil } from './messages.js';

/** What to keep of a reply that said nothing, to know when to ask again. */
export interface Quiet {
  readonly until: QuietUntil;
  readonly phase: ComposeRequest['phase'];
  readonly policyVersion: number;
  readonly hardLimitBytes: number;
  readonly blocks: number;
}

type Measurable = Pick<
  ComposeRequest,
  'phase' | 'policyVersion' | 'budget' | 'context' | 'publication' | 'unconfirmed' | 'review' | 'partlyRead'
>;

/** The quiet that a reply begins; null when it said something, armed a key again, or raised a candidate. */
export function quietAfter(request: Measurable, reply: ComposeReply): Quiet | null {
  const said = reply.state.length + reply.advice.length + reply.combined.length + reply.rearmed.length;
  if (said > 0 || reply.reviewCandidate !== null) return null;
  return { until: reply.quietUntil, ...frameOf(request) };
}

/** Whether compose can be skipped for these facts: it would say nothing. Watermarks cannot change while it is quiet. */
export function staysQuiet(quiet: Quiet | null, request: Measurable): boolean {
  if (quiet === null) return false;
  const frame = frameOf(request);
  if (
    frame.phase !== quiet.phase ||
    frame.policyVersion !== quiet.policyVersion ||
    frame.hardLimitBytes !== quiet.hardLimitBytes ||
    frame.blocks !== quiet.blocks
  ) {
    return false;
  }
  const measured = measurementsOf(request);
  return (Object.keys(measured) as (keyof QuietUntil)[]).every((key) => {
    const until = quiet.until[key];
    return until === null || measured[key] < until;
  });
}

/** The measurements that {@link QuietUntil} names, in its units. Unconfirmed writes count as used (P9). */
export function measurementsOf(request: Measurable): Record<keyof QuietUntil, number> {
  const { budget, context, publication, review, partlyRead, unconfirmed = [] } = request;
  let runUnconfirmed = 0;
  let blockRevisions = 0;
  for (const { block, revisions } of publication.blocks) {
    const sent = unconfirmed.filter((name) => name === block).length;
    runUnconfirmed += sent;
    blockRevisions = Math.max(blockRevisions, revisions.used + sent);
  }
  return {
    exploreUsed: taken(budget.explore),
    physicalUsed: taken(budget.physical),
    activeMs: budget.active.usedMs,
    wallMs: budget.wall.usedMs,
    contentBytes: context.contentBytes,
    runRevisions: publication.revisions.used + runUnconfirmed,
    blockRevisions,
    reviewExploreRequests: review.sinceExploreRequests,
    reviewMs: review.sinceMs,
    partlyReadSources: partlyRead.filter(({ hadBytes, totalBytes }) => hadBytes > 0 && hadBytes < totalBytes).length,
  };
}

function frameOf(request: Measurable): Omit<Quiet, 'until'> {
  return {
    phase: request.phase,
    policyVersion: request.policyVersion,
    hardLimitBytes: request.context.hardLimitBytes,
    blocks: request.publication.blocks.length,
  };
}

function taken(count: { readonly used: number; readonly reserved: number; readonly unknown: number }): number {
  return count.used + count.reserved + count.unknown;
}
