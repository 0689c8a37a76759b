/**
 * `npm run bench:peers -- <folder>`: our line beside other runtimes. The folder is a writable copy of the peers' harness
 * (bench.mjs, lib.mjs, table.mjs, pg.sh, peers/); our peer file is put into it, and pg-floor, dbos, restate, langgraph and
 * we are run in one go on one machine, one Node and one PostgreSQL, turn about. Ends with the harness's own tables.
 *
 *   --only a,b     peers; default pg-floor,dbos,restate,langgraph/delta-sync,waymark
 *   --what a,b     default run,many,kill
 *   --T a,b        turns of the single runs; default 200,1000
 *   --reps n       of the single runs up to 200 turns; default 3
 *   --killT n      turns of the runs that are killed; default 60
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { headComment } from './head-comment.mjs';
import { endWith, ready, root } from './setup.mjs';

if (process.argv.includes('--help')) {
  console.log(headComment(import.meta.url));
  process.exit(0);
}

const { values: options, positionals } = readOptions();
const folder = resolve(positionals[0] ?? '');
for (const file of ['bench.mjs', 'lib.mjs', 'table.mjs', 'pg.sh', 'peers'])
  if (!existsSync(join(folder, file))) refuse(`${folder} is no copy of the peers' harness: it has no ${file}`);
await ready(import.meta.url).catch(endWith);

copyFileSync(join(root, 'tools/bench/peers/waymark.mjs'), join(folder, 'peers/waymark.mjs'));
const bench = join(folder, 'bench.mjs');
const driver = readFileSync(bench, 'utf8');
if (!driver.includes("'waymark.mjs'"))
  writeFileSync(
    bench,
    driver.replace('export const PEERS = [', "export const PEERS = [\n  ['waymark', 'waymark.mjs', '', {}],"),
  );

const results = join(root, 'waymark-out/peers.json');
mkdirSync(join(root, 'waymark-out'), { recursive: true });
rmSync(results, { force: true });
const env = { ...process.env, PEERS_NODE: process.execPath, PEERS_RESULTS: results, WAYMARK_ROOT: root };
if (!existsSync(join(folder, 'node_modules'))) run('npm', ['ci', '--no-audit', '--no-fund', '--legacy-peer-deps']);
run('./pg.sh', ['start']);
try {
  const { only, what, T, reps, killT } = options;
  const asked = ['--only', only, '--what', what, '--T', T, '--reps', reps, '--killT', killT, '--cap', '150'];
  run(process.execPath, ['bench.mjs', ...asked]);
  run(process.execPath, ['table.mjs', results]);
} finally {
  spawnSync('./pg.sh', ['stop'], { cwd: folder, env, stdio: 'ignore' });
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: folder, env, stdio: 'inherit' });
  if (error || status !== 0) throw new Error(`${command} ${args[0] ?? ''} ended with ${error?.message ?? status}`);
}

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: 'string', default: 'pg-floor,dbos,restate,langgraph/delta-sync,waymark' },
        what: { type: 'string', default: 'run,many,kill' },
        T: { type: 'string', default: '200,1000' },
        reps: { type: 'string', default: '3' },
        killT: { type: 'string', default: '60' },
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} why @returns {never} */
function refuse(why) {
  console.error(why);
  process.exit(2);
}
