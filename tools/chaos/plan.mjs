/**
 * What happens when, drawn from the seed alone: the same seed and minutes give the same plan.
 *
 * 1. Every kind of fault is dealt once before any is dealt again.
 * 2. Of a service at most one replica is bad at a time, its links included, and one server. So nothing is gone for ever,
 *    and nobody is gone altogether but a server for a moment.
 * 3. Every fault has ended when the time is over, and the provider is healed: then the runs can end.
 */
import { drawsOf } from './draws.mjs';
import { hostileDocuments } from './documents.mjs';
import { PROVIDER_KINDS, serviceOf, SYSTEM_KINDS } from './kinds.mjs';

/**
 * @typedef {object} Fault
 * @property {string} kind
 * @property {string} target `runtime-1`, `nats`, `runtime-1>postgres` (a link), `model`
 * @property {number} at ms
 * @property {number} forMs
 *
 * @typedef {object} PlannedRun
 * @property {string} key
 * @property {number} at ms
 * @property {'plain' | 'hostile'} corpus
 * @property {Shape} shape
 * @property {boolean} twice asked twice at once with the same key
 * @property {boolean} followed by a caller who comes and goes
 * @property {number | null} cancelAfterMs
 *
 * @typedef {{ readonly name: string, readonly at: number }} PlannedUpload
 *
 * @typedef {object} Plan
 * @property {number} seed
 * @property {number} minutes
 * @property {number} windowMs
 * @property {readonly Fault[]} faults by time
 * @property {readonly PlannedRun[]} runs by time
 * @property {readonly PlannedUpload[]} uploads of hostile documents while all goes on
 */

/** Of a run's limits: `roomy`, `short` (few requests), `narrow` (results retire, summaries), `reviewed`. */
export const SHAPES = /** @type {const} */ (['roomy', 'short', 'narrow', 'reviewed']);
/** @typedef {typeof SHAPES[number]} Shape */

/** Ms between two faults of processes, servers and links, and between two of the provider. */
const SYSTEM_GAP = /** @type {const} */ ([700, 1_700]);
const PROVIDER_GAP = /** @type {const} */ ([700, 1_600]);
const RUN_GAP = /** @type {const} */ ([1_500, 3_500]);
const CANCEL_MS = /** @type {const} */ ([500, 5_000]);
/** Runs are started until this part of the time is over. */
const STARTS_SHARE = 0.85;

/** @param {{ seed: number, minutes: number }} wanted @returns {Plan} */
export function planOf({ seed, minutes }) {
  const draws = drawsOf(seed);
  const windowMs = Math.round(minutes * 60_000);
  const faults = [...systemFaults(draws, windowMs), ...providerFaults(draws, windowMs)];
  return {
    seed,
    minutes,
    windowMs,
    faults: faults.sort((a, b) => a.at - b.at),
    runs: plannedRuns(draws, seed, windowMs),
    uploads: hostileDocuments()
      .map(({ name }) => ({ name, at: draws.int(0, Math.floor(windowMs / 2)) }))
      .sort((a, b) => a.at - b.at),
  };
}

/** What a fault keeps from others while it lasts. @param {string} target */
export const groupOf = (target) => {
  if (target === 'model') return target;
  if (['nats', 'postgres', 'redis'].includes(target)) return 'servers';
  return serviceOf(target.split('>')[0] ?? target);
};

/** @param {import('./draws.mjs').Draws} draws @param {number} windowMs @returns {Fault[]} */
function systemFaults(draws, windowMs) {
  const kinds = draws.deck(Object.keys(SYSTEM_KINDS));
  const targets = new Map(Object.entries(SYSTEM_KINDS).map(([kind, { targets }]) => [kind, draws.deck(targets)]));
  /** @type {Map<string, number>} */
  const freeAt = new Map();
  /** @type {Fault[]} */
  const faults = [];
  for (let at = draws.int(...SYSTEM_GAP); at < windowMs; at += draws.int(...SYSTEM_GAP)) {
    const kind = kinds();
    const { ms, targets: all } = /** @type {typeof SYSTEM_KINDS[string]} */ (SYSTEM_KINDS[kind]);
    const forMs = draws.int(...ms);
    const deal = /** @type {() => string} */ (targets.get(kind));
    let target = deal();
    const free = (/** @type {string} */ one) => (freeAt.get(groupOf(one)) ?? 0) <= at;
    for (let tries = 1; tries < all.length && !free(target); tries += 1) target = deal();
    const from = Math.max(at, freeAt.get(groupOf(target)) ?? 0);
    if (from + forMs > windowMs) continue;
    freeAt.set(groupOf(target), from + forMs);
    faults.push({ kind, target, at: from, forMs });
  }
  return faults;
}

/** @param {import('./draws.mjs').Draws} draws @param {number} windowMs @returns {Fault[]} */
function providerFaults(draws, windowMs) {
  const kinds = draws.deck(Object.keys(PROVIDER_KINDS));
  /** @type {Fault[]} */
  const faults = [];
  for (let at = draws.int(...PROVIDER_GAP); at < windowMs; at += draws.int(...PROVIDER_GAP))
    faults.push({ kind: kinds(), target: 'model', at, forMs: 0 });
  return faults;
}

/** @param {import('./draws.mjs').Draws} draws @param {number} seed @param {number} windowMs @returns {PlannedRun[]} */
function plannedRuns(draws, seed, windowMs) {
  const shapes = draws.deck(SHAPES);
  const corpora = draws.deck(/** @type {const} */ (['plain', 'hostile']));
  const fates = draws.deck(/** @type {const} */ (['followed', 'twice', 'cancelled', 'left alone']));
  /** @type {PlannedRun[]} */
  const runs = [];
  for (let at = 200; at < windowMs * STARTS_SHARE; at += draws.int(...RUN_GAP)) {
    const fate = fates();
    runs.push({
      key: `chaos-${seed}-${runs.length + 1}`,
      at,
      corpus: corpora(),
      shape: shapes(),
      twice: fate === 'twice',
      followed: fate === 'followed',
      cancelAfterMs: fate === 'cancelled' ? draws.int(...CANCEL_MS) : null,
    });
  }
  return runs;
}
