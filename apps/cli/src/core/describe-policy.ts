/** The policy that a run is admitted with, all its numbers (B7). */
import type { Policy } from '@waymark/contracts/policy';
import { bytesText, durationText, many } from './words.js';

export function describePolicy(p: Policy): string[] {
  const { limits: l, deadlines: d, context: c, retry: r } = p;
  const times = (list: readonly number[]): string => list.map(durationText).join(', ');
  return [
    `policy ${p.name} (tier ${p.tier}, version ${p.version})`,
    `  requests    ${l.exploreRequests} explore, ${l.finishRequests} finish, ${l.physicalRequests} physical in all, ${l.finishReserve} of them kept for the ending`,
    `  time        ${durationText(l.activeMs)} active, ${durationText(l.wallMs)} wall, ${l.userDeadlineMs === null ? 'no deadline of yours' : `${durationText(l.userDeadlineMs)} by your deadline`}; the last ${durationText(l.outputMs)} are kept for the ending`,
    `  a request   first content ${durationText(d.firstContentMs)}, progress ${durationText(d.progressMs)}, total ${durationText(d.totalMs)}; a tool ${durationText(d.toolMs)}, a review ${durationText(d.reviewMs)}`,
    `  context     hard limit ${bytesText(c.hardLimitBytes)}, soft ${c.softPercent} %, results resident ${bytesText(c.residencyBytes)} (low water ${c.lowWaterPercent} %), report map ${bytesText(c.mapBytes)}, notice room ${bytesText(c.noticeRoomBytes)}`,
    `  summaries   gain at least ${bytesText(c.minGainBytes)} and ${c.minGainPercent} %, smallest ${c.smallestSummaryBytes} B; a body read back stays ${many(c.readBackTurns, 'turn')}`,
    `  revisions   ${p.revisions.perBlock} per block, ${p.revisions.perRun} per run`,
    `  review      ${p.review.enabled ? `at most every ${many(p.review.everyExploreRequests, 'explore request')} or ${durationText(p.review.everyMs)}` : 'off'}`,
    `  reminders   at ${p.stages.percent.join(', ')} %, margin ${p.stages.marginPercent} points`,
    `  retries     ${many(r.attemptsPerTurn, 'attempt')} a turn, back-off ${times(r.backoffMs)}; parking ${times(r.parkMs)}; Retry-After over ${durationText(r.retryAfterParkMs)} parks`,
  ];
}
