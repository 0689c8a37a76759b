import type { Facts } from '../facts.js';
import { RUN, type Measured, type TypeRule } from '../reminder-type.js';
import { periodScale } from '../scale.js';
import { duration } from '../words/duration.js';

interface ReviewMeasured extends Measured {
  readonly unit: 'requests' | 'ms';
  readonly running: boolean;
  /** Something is published, so that there is something to review. */
  readonly published: boolean;
}

/**
 * Advice to look back, once per review point since the last review. It asks for nothing by itself: the review candidate is
 * a record of its own (R11). A review that runs makes it needless.
 */
export const workReview: TypeRule<ReviewMeasured> = {
  type: 'work-review',
  repeat: { state: 'never', advice: 'once per stage while exploring' },
  measure(facts) {
    const { enabled, everyExploreRequests, everyMs, sinceExploreRequests, sinceMs, running } = facts.review;
    if (!enabled) return [];
    const requests = !hasTimePoints(facts) || sinceExploreRequests / everyExploreRequests >= sinceMs / everyMs;
    const period = requests ? everyExploreRequests : everyMs;
    return [
      {
        subject: RUN,
        value: requests ? sinceExploreRequests : sinceMs,
        limit: period,
        unit: requests ? 'requests' : 'ms',
        version: facts.budget.version,
        scale: periodScale(period, facts.stages.marginPercent),
        running,
        published: facts.publication.blocks.length > 0,
      },
    ];
  },
  state: null,
  advice: {
    intent: (_, m) => (m.running ? null : 'review'),
    wording: {
      en(m) {
        const [since, every] =
          m.unit === 'requests'
            ? [`${m.value} explore ${m.value === 1 ? 'request' : 'requests'}`, `${m.limit}`]
            : [duration(m.value, 'en', 'down'), duration(m.limit, 'en', 'down')];
        return `${since} since the last review or the start, with a review point every ${every}: ${
          m.published
            ? 'go back to the question, and consider asking for a review.'
            : 'go back to the question and to what is still open.'
        }`;
      },
      zh(m) {
        const [since, every] =
          m.unit === 'requests'
            ? [`${m.value} 次探索请求`, `${m.limit} 次`]
            : [duration(m.value, 'zh', 'down'), duration(m.limit, 'zh', 'down')];
        return `距上次复核或开始已过 ${since}（每 ${every}为一个复核点）：${
          m.published ? '请回看问题，并考虑请求一次复核。' : '请回看问题和尚未解决之处。'
        }`;
      },
    },
  },
  quiet(facts) {
    const off = facts.phase !== 'exploring' || !facts.review.enabled;
    return {
      reviewExploreRequests: off ? null : facts.review.everyExploreRequests,
      reviewMs: off || !hasTimePoints(facts) ? null : facts.review.everyMs,
    };
  },
};

/** A period of 0 ms is no period. */
export function hasTimePoints(facts: Facts): boolean {
  return facts.review.everyMs > 0;
}
