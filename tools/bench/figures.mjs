/** Figures out of readings: pure. */

/** What a turn of the workload brings in: 300 bytes of model text and two results of 4 KiB; the last answer has 2 KiB. */
export const CONTENT_PER_TURN = 300 + 2 * 4096;
const CONTENT_AT_END = 2048;

/** Bytes of new content of a run. @param {number} turns */
export const newContent = (turns) => turns * CONTENT_PER_TURN + CONTENT_AT_END;

/** Nearest rank; null of nothing. @param {readonly number[]} values @param {number} share 0 … 1 */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** @param {readonly number[]} values */
export const median = (values) => quantile(values, 0.5);

/**
 * @typedef {{ purpose: string, at: number }} Request `at` in ms
 * @typedef {{ ms: number, summaries: number }} Turn from the start of one main request to the start of the next
 */

export const isMain = (/** @type {string} */ purpose) => purpose === 'explore' || purpose === 'finish';

/**
 * A run's turns in order. The first main request only lists the sources and is left out, so T turns give T values;
 * summaries that ran within a turn are part of its time and counted.
 * @param {readonly Request[]} requests
 * @returns {Turn[]}
 */
export function turnsOf(requests) {
  const ordered = [...requests].sort((a, b) => a.at - b.at);
  const main = ordered.filter(({ purpose }) => isMain(purpose)).slice(1);
  return main.slice(1).map(({ at }, i) => {
    const from = main[i]?.at ?? at;
    const within = ordered.filter((request) => request.at > from && request.at < at && !isMain(request.purpose));
    return { ms: at - from, summaries: within.filter(({ purpose }) => purpose === 'summarize').length };
  });
}

/**
 * Whether turns become slower with the run's length: medians of the first and the second half of the turns after the
 * first summary. Null when there were too few of them to say.
 * @param {readonly Turn[]} turns
 */
export function growthAfterCompaction(turns) {
  const first = turns.findIndex(({ summaries }) => summaries > 0);
  const after = first < 0 ? [] : turns.slice(first + 1).map(({ ms }) => ms);
  if (after.length < 50) return null;
  const middle = Math.floor(after.length / 2);
  const [early, late] = [after.slice(0, middle), after.slice(middle)].map((half) => median(half) ?? 0);
  return { firstCompaction: first + 1, earlyMs: early ?? 0, lateMs: late ?? 0, ratio: (late ?? 0) / (early || 1) };
}

/** @param {readonly Turn[]} turns */
export function turnFigures(turns) {
  const ms = turns.map((turn) => turn.ms);
  const [first, last] = [ms.slice(0, 50), ms.slice(-50)];
  const compacting = turns.filter(({ summaries }) => summaries > 0).map((turn) => turn.ms);
  return {
    turns: turns.length,
    first50: { median: median(first), p99: quantile(first, 0.99) },
    last50: { median: median(last), p99: quantile(last, 0.99) },
    all: { median: median(ms), p99: quantile(ms, 0.99) },
    compacting: { turns: compacting.length, median: median(compacting) },
    slowest: slowest(turns),
    growth: growthAfterCompaction(turns),
  };
}

/** The five slowest turns, counted from 1. @param {readonly Turn[]} turns */
const slowest = (turns) =>
  turns
    .map((turn, i) => ({ turn: i + 1, ...turn }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 5);

/** Every number of `after` less the same of `before`. @param {Record<string, number>} after @param {Record<string, number>} before */
export const difference = (after, before) =>
  Object.fromEntries(Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)]));

/** @param {Record<string, number>} values */
export const sum = (values) => Object.values(values).reduce((total, value) => total + value, 0);

/** A NATS subject without what differs from message to message. @param {string} subject */
export function subjectShape(subject) {
  if (subject.startsWith('_INBOX.')) return '_INBOX (replies)';
  if (subject.startsWith('$JS.ACK.')) return subject.split('.').slice(0, 4).join('.');
  return subject
    .split('.')
    .map((token) => (/^[0-9a-f-]{32,36}$|^\d{2,}$/i.test(token) ? '*' : token))
    .join('.');
}

/** @template T @param {readonly T[]} items @param {(item: T) => string} keyOf @returns {Record<string, number>} */
export function countBy(items, keyOf) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}
