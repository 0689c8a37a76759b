import type { ErrorBody } from '../wire/index.js';
import { POLICIES } from './named.js';
import type { Policy, PolicyOverrides } from './shape.js';

export type PolicyResolution =
  { readonly ok: true; readonly policy: Policy } | { readonly ok: false; readonly error: ErrorBody };

/** A time limit below this is refused at start (decisions, numbers). */
const SHORTEST_LIMIT_MS = 60_000;

/**
 * The numbers that a run is admitted with: a named policy with the caller's explicit values over it.
 * Physical requests follow explore requests (2 × explore + finish reserve) unless set; output time is the smaller of
 * its number and a quarter of the shortest limit; 0 means 0. Refuses unknown names and limits that contradict.
 */
export function resolvePolicy(name: string, overrides: PolicyOverrides = {}): PolicyResolution {
  const base: Policy | undefined = Object.hasOwn(POLICIES, name) ? POLICIES[name as keyof typeof POLICIES] : undefined;
  if (!base) {
    return refuse(
      'unknown_policy',
      `there is no policy "${name}"`,
      `use one of: ${Object.keys(POLICIES).join(', ')}`,
      'policy',
    );
  }
  const o = overrides;
  const explore = o.exploreRequests ?? base.limits.exploreRequests;
  const reserve = o.finishReserve ?? base.limits.finishReserve;
  const derived = o.exploreRequests === undefined && o.finishReserve === undefined;
  const physical = o.physicalRequests ?? (derived ? base.limits.physicalRequests : 2 * explore + reserve);
  const active = o.activeMs ?? base.limits.activeMs;
  const wall = o.wallMs ?? base.limits.wallMs;
  const user = o.userDeadlineMs ?? base.limits.userDeadlineMs;
  const finish = o.finishRequests ?? base.limits.finishRequests;
  for (const [field, value] of [
    ['activeMs', active],
    ['wallMs', wall],
    ['userDeadlineMs', user ?? SHORTEST_LIMIT_MS],
  ] as const) {
    if (value < SHORTEST_LIMIT_MS) {
      return refuse('limit_too_short', `${field} is ${value} ms, under 60 s`, 'set at least 60000 ms', field);
    }
  }
  if (reserve < finish) {
    return refuse(
      'reserve_too_small',
      `the finish reserve of ${reserve} physical requests cannot carry ${finish} finish requests`,
      `set finishReserve to at least ${finish}`,
      'finishReserve',
    );
  }
  if (physical < reserve) {
    return refuse(
      'physical_too_small',
      `${physical} physical requests are fewer than the finish reserve of ${reserve}`,
      `set physicalRequests to at least ${reserve}`,
      'physicalRequests',
    );
  }
  const output = Math.min(o.outputMs ?? base.limits.outputMs, Math.floor(Math.min(active, wall, user ?? wall) / 4));
  const hard = o.hardLimitBytes ?? base.context.hardLimitBytes;
  const noticeRoom = o.noticeRoomBytes ?? base.context.noticeRoomBytes;
  if (hard < noticeRoom + base.context.mapBytes) {
    return refuse(
      'hard_limit_too_small',
      `a hard limit of ${hard} bytes leaves no room beside the notice room of ${noticeRoom} and the report map of ${base.context.mapBytes}`,
      'set a larger hardLimitBytes',
      'hardLimitBytes',
    );
  }
  return {
    ok: true,
    policy: {
      ...base,
      limits: {
        exploreRequests: explore,
        finishRequests: finish,
        finishReserve: reserve,
        physicalRequests: physical,
        activeMs: active,
        wallMs: wall,
        outputMs: output,
        userDeadlineMs: user,
      },
      deadlines: {
        ...base.deadlines,
        firstContentMs: o.firstContentMs ?? base.deadlines.firstContentMs,
        progressMs: o.progressMs ?? base.deadlines.progressMs,
        totalMs: o.totalMs ?? base.deadlines.totalMs,
        toolMs: o.toolMs ?? base.deadlines.toolMs,
        reviewMs: o.reviewMs ?? base.deadlines.reviewMs,
      },
      context: {
        ...base.context,
        hardLimitBytes: hard,
        residencyBytes: o.residencyBytes ?? base.context.residencyBytes,
        noticeRoomBytes: noticeRoom,
      },
      revisions: {
        perBlock: o.revisionsPerBlock ?? base.revisions.perBlock,
        perRun: o.revisionsPerRun ?? base.revisions.perRun,
      },
      review: {
        ...base.review,
        enabled: o.review ?? base.review.enabled,
        everyExploreRequests: o.reviewEveryExploreRequests ?? base.review.everyExploreRequests,
      },
      retry: { ...base.retry, parkMs: o.parkMs ?? base.retry.parkMs, backoffMs: o.backoffMs ?? base.retry.backoffMs },
    },
  };
}

function refuse(code: string, message: string, remedy: string, field: string): PolicyResolution {
  return { ok: false, error: { code, message, remedy, field } };
}
