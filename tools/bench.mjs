/**
 * `npm run bench`: what a turn costs. The whole system runs as it is deployed, on private servers that sync to disk; the
 * workload and every figure are explained in docs/performance.md. Prints tables and how they stand to what is aimed at,
 * and writes everything to waymark-out/bench.json. Exit code 1 when a measurement failed; an aim that is missed is not a
 * failure.
 *
 *   --turns 50,200,1000   single runs, each on a fresh system
 *   --many 50x20          so many runs of so many turns at once; --skip-many leaves them out
 *   --latency 50          of the model in the many runs, ms
 *   --runs 1              repeats of every timing; the tables show medians
 *   --skip-counting       leaves out the second round, which counts what timing must not be disturbed by
 *   --prof runtime        keeps a CPU profile of that process (a service or practice-model) of each timing
 *   --minutes 30          the whole ends then at the latest
 *   --json                prints the JSON, and everything else on stderr
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { headComment } from './head-comment.mjs';
import { endWith, ready, root } from './setup.mjs';

if (process.argv.includes('--help')) {
  console.log(headComment(import.meta.url));
  process.exit(0);
}

const options = readOptions();
if (options.json) console.log = console.error; // set-up speaks too
/** @param {string} line */
const print = (line) => console.log(line);

await ready(import.meta.url).catch(endWith);
const { STACK_SERVICES } = await import('@waymark/testing/stack');
const { measure } = await import('./bench/measure.mjs');
const { countingTables, middle, middleGrowth, table, timingTables } = await import('./bench/tables.mjs');
const { judgeAims } = await import('./bench/aims.mjs');
const { MODEL } = await import('./bench/workload.mjs');

const plan = readPlan();
const out = join(root, 'waymark-out');
mkdirSync(out, { recursive: true });

/** @type {import('@waymark/testing/stack').Stack | undefined} */
let stack;
/** @param {string} why @param {number} code */
const giveUp = (why, code) => {
  console.error(why);
  void Promise.resolve(stack?.stop()).finally(() => process.exit(code));
};
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.once(signal, () => giveUp(`stopped by ${signal}`, 130));
}
setTimeout(() => giveUp(`not done within ${plan.minutes} minutes`, 1), plan.minutes * 60_000).unref();

/** @typedef {Awaited<ReturnType<typeof measure>>} Measurement */
/** @type {Measurement[][]} */
const timings = [];
/** @type {Measurement[]} */
const countings = [];
let failed = 0;

for (const workload of plan.workloads) {
  const repeats = [];
  for (let i = 1; i <= plan.repeats; i += 1) repeats.push(await attempt(workload, { counting: false, nth: i }));
  const done = repeats.filter((m) => m !== undefined);
  if (done.length > 0) timings.push(done);
}
// The longest single run and the many runs: where the counts are, they do not depend on the length.
const counted = options['skip-counting'] ? [] : plan.workloads.filter((w) => w.runs > 1 || w.turns === plan.most);
for (const workload of counted) {
  const measurement = await attempt(workload, { counting: true, nth: 1 });
  if (measurement !== undefined) countings.push(measurement);
}

const rows = timings.map(middle);
const longest = rows.filter(({ first }) => first.runs === 1).at(-1);
const many = rows.find(({ first }) => first.runs > 1);
const aims = judgeAims({
  ...(longest && {
    longest: {
      turns: longest.first.turns,
      wallPerTurn: longest.of((m) => m.wallPerTurn) ?? 0,
      storedRatio: longest.of((m) => m.storedRatio) ?? 0,
      growth: middleGrowth(longest),
    },
  }),
  ...(many && { many: { runsPerSecond: many.of((m) => m.runsPerSecond) ?? 0 } }),
});
const first = timings[0]?.[0];
const machine = {
  cpus: cpus().length,
  cpu: cpus()[0]?.model,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  os: process.platform,
};
const report = {
  ...{ at: new Date().toISOString(), machine, versions: first?.versions, model: MODEL, policy: first?.policy },
  ...{ options, aims, timings: timings.flat(), countings },
};
const file = join(out, 'bench.json');
writeFileSync(file, `${JSON.stringify(report, null, 1)}\n`);

print('');
if (first) {
  const { node, postgres, nats } = first.versions;
  print(`${machine.cpus} × ${machine.cpu}, ${machine.memoryGb} GB, ${machine.os}; node ${node}, NATS ${nats}`);
  print(`PostgreSQL ${postgres.version}, fsync ${postgres.fsync}, synchronous_commit ${postgres.synchronousCommit}`);
  print(`model ${MODEL}; policy ${JSON.stringify(first.policy)}\n`);
  print(timingTables(rows));
}
if (countings.length > 0) print(countingTables(countings));
print(
  table(
    'Aims',
    ['aim', 'measured', ''],
    aims.map(({ aim, measured, met }) => [aim, measured, met === null ? 'not measured' : met ? 'met' : 'MISSED']),
  ),
);
if (options.prof !== undefined) print('A profiled process is slower: take no time from this run.');
print(`all figures: ${relative(process.cwd(), file) || file}`);
if (options.json) await new Promise((done) => process.stdout.write(`${JSON.stringify(report)}\n`, done));
process.exit(failed > 0 ? 1 : 0);

/**
 * @param {{ runs: number, turns: number, latencyMs: number }} workload @param {{ counting: boolean, nth: number }} way
 * @returns {Promise<Measurement | undefined>} undefined when it failed, which has been said
 */
async function attempt(workload, { counting, nth }) {
  const name = `${counting ? 'counting' : 'timing'} ${workload.runs > 1 ? `${workload.runs} × ` : ''}${workload.turns}`;
  const say = (/** @type {string} */ what) =>
    print(`${name}${plan.repeats > 1 && !counting ? ` #${nth}` : ''}: ${what}`);
  const label = `${workload.runs > 1 ? `${workload.runs}x` : ''}${workload.turns}-${nth}`;
  const profile =
    options.prof === undefined || counting
      ? undefined
      : { service: options.prof, file: join(out, `bench-${options.prof}-${label}.cpuprofile`) };
  try {
    const onStack = (/** @type {typeof stack} */ started) => (stack = started);
    const measurement = await measure({ ...workload, counting, profile, say, onStack });
    say(`${measurement.wallPerTurn.toFixed(2)} ms a turn, ${(measurement.wallMs / 1000).toFixed(1)} s in all`);
    if (profile) say(`profile: ${profile.file}`);
    for (const problem of measurement.problems) say(`NOT THE WORKLOAD: ${problem}`);
    if (measurement.problems.length > 0) failed += 1;
    return measurement;
  } catch (error) {
    failed += 1;
    say(`FAILED: ${error instanceof Error ? error.message : error}`);
    return undefined;
  } finally {
    stack = undefined;
  }
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        turns: { type: 'string', default: '50,200,1000' },
        many: { type: 'string', default: '50x20' },
        'skip-many': { type: 'boolean', default: false },
        latency: { type: 'string', default: '50' },
        runs: { type: 'string', default: '1' },
        'skip-counting': { type: 'boolean', default: false },
        prof: { type: 'string' },
        minutes: { type: 'string', default: '30' },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

function readPlan() {
  const whole = (/** @type {string} */ text, /** @type {string} */ name, min = 1) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min) return value;
    console.error(`--${name} ${options[/** @type {'turns'} */ (name)]}: whole numbers from ${min} on are wanted`);
    process.exit(2);
  };
  const turns = options.turns === '' ? [] : options.turns.split(',').map((text) => whole(text, 'turns'));
  const [runs = '', each = ''] = options.many.split('x');
  const services = [...STACK_SERVICES, 'practice-model'];
  if (options.prof !== undefined && !services.includes(options.prof)) {
    console.error(`--prof ${options.prof}: one of ${services.join(', ')} is wanted`);
    process.exit(2);
  }
  const single = turns.sort((a, b) => a - b).map((n) => ({ runs: 1, turns: n, latencyMs: 0 }));
  const many = {
    runs: whole(runs, 'many', 2),
    turns: whole(each, 'many'),
    latencyMs: whole(options.latency, 'latency', 0),
  };
  return {
    workloads: options['skip-many'] ? single : [...single, many],
    most: Math.max(0, ...turns),
    repeats: whole(options.runs, 'runs'),
    minutes: whole(options.minutes, 'minutes'),
  };
}
