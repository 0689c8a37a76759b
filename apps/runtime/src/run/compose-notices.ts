/** Step 4: measured content and the owners' facts become state lines and advice, or plain lines without them (R7, R19). */
import { compose, quietAfter, staysQuiet, type ComposeRequest } from '@waymark/contracts/reminder';
import type { PublicationSnapshot } from '@waymark/contracts/publication';
import type { MainPurpose, NoticesRecord } from '@waymark/record';
import { fitNotices, lineRoom } from '../core/fit-notices.js';
import { plainNotices } from '../core/plain-notices.js';
import { partlyRead } from '../core/reading.js';
import type { HeldGrant, RunContext } from './run-context.js';

/** Sources read in part that are told at most. */
const MOST_SOURCES = 50;

export async function composeNotices(
  c: RunContext,
  held: HeldGrant,
  purpose: MainPurpose,
  contentBytes: number,
): Promise<NoticesRecord> {
  const { policy, language } = c.admitted;
  const s = c.state;
  const publication = c.publication?.snapshot ?? emptyPublication(c);
  const partly = partlyRead(s.reading, MOST_SOURCES);
  const sinceExplore = s.exploreIntended - s.review.atExplore + (purpose === 'explore' ? 1 : 0);
  const sinceMs = Math.max(0, held.snapshot.active.usedMs - s.review.atActiveMs);
  const request = {
    run: c.run,
    language,
    policyVersion: policy.version,
    phase: purpose === 'finish' ? 'finishing' : 'exploring',
    purpose,
    noticeRoomBytes: lineRoom(policy.context.noticeRoomBytes),
    stages: policy.stages,
    budget: held.snapshot,
    context: { contentBytes, hardLimitBytes: s.hard },
    publication,
    unconfirmed: s.unconfirmed.map((u) => u.block),
    review: {
      enabled: policy.review.enabled,
      everyExploreRequests: policy.review.everyExploreRequests,
      everyMs: policy.review.everyMs,
      sinceExploreRequests: sinceExplore,
      sinceMs,
      running: s.review.running !== null,
    },
    partlyRead: partly,
    watermarks: s.watermarks,
  } satisfies ComposeRequest;
  if (staysQuiet(c.quiet, request)) return QUIET;
  const reply = await c.platform.bus.call(compose, request, {
    timeoutMs: c.platform.config.COMPOSE_MS,
    signal: c.signal,
  });
  if (!reply.ok) {
    c.quiet = null;
    c.platform.logger.warn({ run: c.run, code: reply.error.code }, 'reminder did not answer: plain state lines');
    return plainNotices({
      language,
      policyVersion: policy.version,
      phase: purpose === 'finish' ? 'finishing' : 'exploring',
      budget: held.snapshot,
      contentBytes,
      hardLimitBytes: s.hard,
      publication: c.publication,
      unconfirmed: s.unconfirmed.map((u) => u.block),
      roomBytes: policy.context.noticeRoomBytes,
      fromPercent: policy.stages.percent[0] ?? 50,
    });
  }
  c.candidate = reply.value.reviewCandidate;
  c.quiet = quietAfter(request, reply.value);
  return fitNotices(reply.value, policy.context.noticeRoomBytes);
}

const QUIET: NoticesRecord = { source: 'quiet', included: [], omitted: [], combined: [], rearmed: [], text: null };

function emptyPublication(c: RunContext): PublicationSnapshot {
  const { perRun } = c.admitted.policy.revisions;
  return {
    run: c.run,
    version: 0,
    closed: false,
    epoch: 0,
    revisions: { limit: perRun, used: 0, left: perRun },
    blocks: [],
  };
}
