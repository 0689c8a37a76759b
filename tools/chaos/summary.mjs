/** The end, for people and for programs. */
import { judgeLog } from './judge.mjs';

/**
 * @typedef {import('@waymark/testing/stack').Violation} Violation
 *
 * @typedef {object} Summary
 * @property {number} seed
 * @property {number} minutes
 * @property {Record<string, number>} runs by outcome and code
 * @property {Record<string, number>} faults by kind
 * @property {Record<string, number>} struck requests that each fault of the provider met
 * @property {Record<string, number>} documents uploaded among the faults, by what became of them
 * @property {number} requests
 * @property {number} arrived
 * @property {number} unknown
 * @property {number} starts of processes
 * @property {Record<string, number>} said what services reported as errors and warnings
 * @property {number} violations
 */

/**
 * @param {object} seen
 * @param {import('./plan.mjs').Plan} seen.plan
 * @param {readonly import('./plan.mjs').Fault[]} seen.done
 * @param {readonly import('@waymark/contracts/runtime').RunView[]} seen.views
 * @param {import('@waymark/testing/stack').InvariantReport} seen.report
 * @param {readonly Violation[]} seen.violations
 * @param {readonly import('@waymark/contracts/sources').DocumentView[]} seen.documents
 * @param {import('./system.mjs').ChaosSystem} seen.system
 * @returns {Summary}
 */
export function summaryOf({ plan, done, views, report, violations, documents, system }) {
  const lives = [...system.replicas.values()].flatMap(({ name, incarnations }) =>
    incarnations.map(({ process }) => ({ name, output: process.output() })),
  );
  /** @type {Record<string, number>} */
  const said = {};
  for (const { name, output } of lives) {
    for (const [what, n] of judgeLog(name, output).said) {
      // Ports and inboxes differ each time; what happened is the same.
      const key = `${name.replace(/-\d+$/, '')} ${what.replace(/_INBOX\S+/, '_INBOX…').replace(/:\d{4,5}\b/, '')}`;
      said[key] = (said[key] ?? 0) + n;
    }
  }
  return {
    seed: plan.seed,
    minutes: plan.minutes,
    runs: tally(
      views.map(({ state, outcome, code }) => (state === 'ended' ? `${outcome}: ${code}` : `not ended: ${state}`)),
    ),
    faults: tally(done.map(({ kind }) => kind)),
    struck: system.struck,
    documents: tally(documents.map(({ status, reason }) => (reason ? `${status}: ${reason.code}` : status))),
    requests: report.requests,
    arrived: report.arrived,
    unknown: report.unknown,
    starts: lives.length,
    said,
    violations: violations.length,
  };
}

/** @param {readonly string[]} words @returns {Record<string, number>} the most frequent first */
function tally(words) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])));
}

/** @param {Summary} summary */
export function summaryTable({
  seed,
  minutes,
  runs,
  faults,
  struck,
  documents,
  requests,
  arrived,
  unknown,
  starts,
  said,
  violations,
}) {
  /** @param {string} head @param {Record<string, number>} rows @param {(what: string) => string} [more] */
  const block = (head, rows, more = () => '') => [
    head,
    ...Object.entries(rows).map(([what, n]) => `${String(n).padStart(6)}  ${what}${more(what)}`),
  ];
  return [
    ...block('runs by outcome and code', runs),
    ...block('faults by kind', faults, (kind) => (kind in struck ? `, met by ${times(struck[kind], 'request')}` : '')),
    ...block('hostile documents', documents),
    ...block('what services reported, most of it expected here', said),
    `requests of runs: ${requests} intended, ${arrived} arrived at the provider, ${unknown} unknown; starts of processes: ${starts}`,
    `seed ${seed}, ${minutes} min; violations: ${violations}`,
  ].join('\n');
}

const SHOWN = 60;

/** @param {readonly Violation[]} violations */
export function findingLines(violations) {
  const lines = violations
    .slice(0, SHOWN)
    .map(({ invariant, run, what }) => `VIOLATED ${invariant} | ${run} | ${what}`);
  if (violations.length > SHOWN) lines.push(`and ${violations.length - SHOWN} more in findings.json`);
  return lines.join('\n');
}

/** @param {number | undefined} n @param {string} noun */
const times = (n = 0, noun) => `${n} ${noun}${n === 1 ? '' : 's'}`;
