/**
 * What is wrong with what was seen, run by run and process by process. Pure: from what callers, owners and logs said.
 * Beside these stand the invariants of libs/testing's checkInvariants, from databases and the provider's log.
 */
import { LEASE_MS } from './kinds.mjs';

/**
 * @typedef {import('@waymark/testing/stack').Violation} Violation
 * @typedef {import('@waymark/contracts/wire').WaymarkEvent} WaymarkEvent
 * @typedef {import('@waymark/contracts/runtime').RunView} RunView
 * @typedef {import('@waymark/contracts/publication').Report} Report
 * @typedef {import('@waymark/contracts/budget').BudgetSnapshot} BudgetSnapshot
 * @typedef {import('./workload.mjs').RunStory} RunStory
 */

/** A lease, and as much again for an owner that is late and still holds it. */
const MOST_OVERSHOOT_MS = 2 * LEASE_MS;

/** @param {string} invariant @param {string} run @param {string} what @returns {Violation} */
const finding = (invariant, run, what) => ({ invariant, run, what });
/** @param {WaymarkEvent} event */
const nameOf = (event) => event.type.slice(event.type.lastIndexOf('.') + 1);

/** L10, L11: one end, with outcome, code and reason, and a closed report that says the same and can be read.
 * @param {RunView} view @param {Report | null} report @param {string | null} rendered @returns {Violation[]} */
export function judgeEnd(view, report, rendered) {
  const { run } = view;
  if (view.state !== 'ended') return [finding('every run ends', run, `it is ${view.state} (${view.phase})`)];
  const found = [];
  for (const part of /** @type {const} */ (['outcome', 'code', 'reason']))
    if (!view[part]) found.push(finding('a reason at the end', run, `it has no ${part}`));
  if (!report || rendered === null) return [...found, finding('a report at the end', run, 'nobody could read it')];
  if (report.state !== 'closed') found.push(finding('a report at the end', run, `it is ${report.state}`));
  for (const part of /** @type {const} */ (['outcome', 'code', 'reason'])) {
    if (report[part] !== view[part])
      found.push(finding('report and run agree', run, `${part}: ${report[part]} and ${view[part]}`));
  }
  if (!rendered.includes(view.question.slice(0, 40)))
    found.push(finding('a report at the end', run, 'its text does not name the question'));
  return found;
}

/** L3, L14: each owner's events count from 1 without gap or repeat; the runtime's reach the head, with one end.
 * @param {RunView} view @param {readonly WaymarkEvent[]} events @returns {Violation[]} */
export function judgeEvents(view, events) {
  const found = [];
  /** @type {Map<string, number>} */
  const last = new Map();
  for (const { owner, seq } of events) {
    const before = last.get(owner) ?? 0;
    if (seq !== before + 1) found.push(finding('events without gap', view.run, `${owner}: ${seq} after ${before}`));
    last.set(owner, seq);
  }
  if ((last.get('runtime') ?? 0) !== view.seq)
    found.push(finding('events without gap', view.run, `runtime: ${last.get('runtime') ?? 0} of ${view.seq}`));
  for (const name of ['RunEnding', 'RunEnded']) {
    const n = events.filter((event) => event.owner === 'runtime' && nameOf(event) === name).length;
    if (n !== (view.state === 'ended' ? 1 : 0))
      found.push(finding('exactly one end', view.run, `${view.state}, with ${n} ${name}`));
  }
  return found;
}

/** Every event of the owners' tables was published, and says there what it says here.
 * @param {string} run @param {readonly WaymarkEvent[]} events @param {ReadonlyMap<string, string>} published
 *   `owner/run/seq` → type @returns {Violation[]} */
export function judgePublished(run, events, published) {
  return events.flatMap(({ owner, seq, type }) => {
    const there = published.get(`${owner}/${run}/${seq}`);
    if (there === type) return [];
    return [finding('facts on the stream', run, `${owner} ${seq} ${type}: ${there ?? 'never published'}`)];
  });
}

/** L14: who followed, through cuts and with leaving and coming back, saw each event once and in order, and all of them.
 * @param {RunStory} story @param {readonly WaymarkEvent[]} events @returns {Violation[]} */
export function judgeFollower(story, events) {
  if (!story.planned.followed || story.run === null) return [];
  const { run } = story;
  if (!story.followedToItsEnd) return [finding('a follower sees all', run, 'it never came to the end')];
  const owners = new Set(events.map(({ owner }) => owner));
  for (const { owner } of story.seen) owners.add(owner);
  const found = [];
  for (const owner of owners) {
    const saw = story.seen.filter((event) => event.owner === owner).map(({ seq }) => seq);
    const wrong = saw.findIndex((seq, i) => seq !== i + 1);
    if (wrong >= 0) found.push(finding('a follower sees all', run, `${owner}: ${saw[wrong]} as event ${wrong + 1}`));
    const all = events.filter((event) => event.owner === owner).length;
    // An owner that was away when the run ended is waited for only a while; the runtime tells the end itself.
    if (saw.length > all || (owner === 'runtime' && saw.length < all))
      found.push(finding('a follower sees all', run, `${owner}: ${saw.length} of ${all} events`));
  }
  return found;
}

/** The same key is the same run, however often it is asked; callers get no code but that somebody is away.
 * @param {RunStory} story @returns {Violation[]} */
export function judgeCallers({ planned, run, answers, refusals }) {
  const who = run ?? planned.key;
  const found = refusals.map((refusal) => finding('callers are served', who, refusal));
  if (answers.length !== (planned.twice ? 2 : 1))
    found.push(finding('callers are served', who, `${answers.length} starts were answered`));
  if (new Set(answers).size > 1) found.push(finding('one key, one run', who, answers.join(', ')));
  return found;
}

/** L6: what was acknowledged as stopped ends as cancelled, and nothing is granted after the acknowledgement.
 * @param {RunStory} story @param {RunView} view @param {readonly WaymarkEvent[]} events @returns {Violation[]} */
export function judgeStop({ cancelled }, view, events) {
  if (cancelled?.outcome !== 'cancelling') return [];
  const found = [];
  if (view.outcome !== 'cancelled') found.push(finding('stop means stop', view.run, `it ended as ${view.outcome}`));
  for (const event of events) {
    if (event.owner !== 'budget' || nameOf(event) !== 'ReservationGranted') continue;
    if (Date.parse(event.at) > cancelled.at + 1)
      found.push(finding('stop means stop', view.run, `budget ${event.seq} granted ${event.at}, after it`));
  }
  return found;
}

/** B6, B11, B15: closed, nothing reserved, no count over its limit, active time by one lease's tail at most.
 * @param {string} run @param {BudgetSnapshot | null} budget @returns {Violation[]} */
export function judgeBudget(run, budget) {
  if (!budget) return [finding('a budget at the end', run, 'there is none')];
  const found = [];
  if (budget.phase !== 'closed') found.push(finding('a budget at the end', run, `it is ${budget.phase}`));
  for (const count of /** @type {const} */ (['explore', 'finish', 'physical'])) {
    const { limit, used, reserved, unknown } = budget[count];
    if (reserved > 0) found.push(finding('nothing reserved at the end', run, `${count}: ${reserved}`));
    if (used + reserved + unknown > limit)
      found.push(finding('no count over its limit', run, `${count}: ${used} + ${reserved} + ${unknown} of ${limit}`));
  }
  const { overshootMs } = budget.active;
  if (overshootMs > MOST_OVERSHOOT_MS)
    found.push(finding('time within a lease’s tail', run, `active: ${overshootMs} ms over`));
  if (budget.active.running) found.push(finding('nothing runs at the end', run, 'active time is still counted'));
  return found;
}

/**
 * A process that ended although nobody had told it to.
 * @param {string} name
 * @param {readonly { told: string | null, exit: import('@waymark/testing').Exit | null }[]} incarnations
 * @returns {Violation[]}
 */
export function judgeExits(name, incarnations) {
  return incarnations.flatMap(({ told, exit }, i) =>
    told === null && exit !== null
      ? [
          finding(
            'no process dies by itself',
            name,
            `its ${i + 1}. life ended with ${exit.signal ?? `code ${exit.code}`}`,
          ),
        ]
      : [],
  );
}

const DEFECT_TYPES = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'AssertionError']);
/** A permission that a user lacks is a defect of users.conf: `NATS denies …` is how libs/messaging reports it. */
const DEFECT_WORDS = /unhandled|uncaught|permissions violation|NATS denies|heap out of memory|a handler failed/i;

/**
 * Lines of a log that no outage explains, and how often anything else was reported as an error or a warning.
 * @param {string} name @param {string} output
 * @returns {{ violations: Violation[], said: Map<string, number> }}
 */
export function judgeLog(name, output) {
  const violations = [];
  /** @type {Map<string, number>} */
  const said = new Map();
  for (const line of output.split('\n')) {
    if (line.trim() === '') continue;
    const entry = parsed(line);
    if (!entry) {
      if (DEFECT_WORDS.test(line) || [...DEFECT_TYPES].some((type) => line.includes(`${type}:`)))
        violations.push(finding('no defect in a log', name, line.slice(0, 300)));
      continue;
    }
    const { level, msg, err } = entry;
    if (level === 'fatal' || DEFECT_TYPES.has(err?.type ?? '') || DEFECT_WORDS.test(`${msg} ${err?.message ?? ''}`))
      violations.push(finding('no defect in a log', name, line.slice(0, 1_000)));
    if (level === 'error' || level === 'warn') {
      const what = `${level}: ${msg}`;
      said.set(what, (said.get(what) ?? 0) + 1);
    }
  }
  return { violations, said };
}

/** @param {string} line @returns {{ level?: string, msg?: string, err?: { type?: string, message?: string } } | null} */
function parsed(line) {
  try {
    const entry = JSON.parse(line);
    return typeof entry === 'object' ? entry : null;
  } catch {
    return null; // words of Node itself, or a line that a kill cut short
  }
}
