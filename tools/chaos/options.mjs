/** What `npm run chaos` may be told. Imports nothing that a fresh clone does not have. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export const HELP = `npm run chaos [-- options]

  --minutes <n>    time under faults, 0.2 to 600; default 2. The runs then get the time that they need to end
  --seed <s>       1 to 2147483647; without it one is drawn and printed. The same seed is the same plan
  --out <folder>   where the evidence goes; default waymark-out
  --plan           print the plan and start nothing

Every service runs in two replicas on private servers, as deployed; runs are started all along while processes are killed,
frozen and drained, servers are killed, links are cut, and provider, tools and documents misbehave. At the end everything
is healed, every run must end, and the invariants are checked from the databases and the provider's log.

Ends with 0 when nothing was violated, 1 when something was (each finding is named, the evidence is kept), 2 when something
given cannot be used, 130 when it was stopped.`;

const MOST_SEED = 2 ** 31 - 1;

/**
 * @typedef {object} ChaosOptions
 * @property {number} minutes
 * @property {number} seed
 * @property {string} out
 * @property {boolean} planOnly
 */

/** @param {string[]} args @returns {ChaosOptions | 'help' | { error: string }} */
export function readOptions(args) {
  let given;
  try {
    given = parseArgs({
      args,
      options: {
        minutes: { type: 'string', default: '2' },
        seed: { type: 'string' },
        out: { type: 'string', default: 'waymark-out' },
        plan: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse('bad_option', error instanceof Error ? error.message : String(error), 'see npm run chaos -- --help');
  }
  if (given.help) return 'help';
  const minutes = given.minutes.trim() === '' ? NaN : Number(given.minutes);
  if (!(minutes >= 0.2 && minutes <= 600))
    return refuse('bad_minutes', `--minutes is "${given.minutes}"`, 'give a number from 0.2 to 600');
  const seed = given.seed === undefined ? randomInt(1, MOST_SEED) : Number(given.seed);
  if (!Number.isInteger(seed) || seed < 1 || seed > MOST_SEED)
    return refuse('bad_seed', `--seed is "${given.seed}"`, `give a whole number from 1 to ${MOST_SEED}`);
  return { minutes, seed, out: given.out, planOnly: given.plan };
}

/** @param {string} code @param {string} message @param {string} remedy */
const refuse = (code, message, remedy) => ({ error: `${code}: ${message}\n  ${remedy}` });
