/**
 * `npm run chaos -- --minutes n --seed s`: bad days. Many runs on two replicas of everything under mixed faults, then the
 * invariants; see docs/chaos.md. `--help` says the rest, and the exit codes.
 */
import { endWith, ready } from './setup.mjs';
import { HELP, readOptions } from './chaos/options.mjs';

const wanted = readOptions(process.argv.slice(2));
if (wanted === 'help') {
  console.log(HELP);
  process.exit(0);
}
if ('error' in wanted) {
  console.error(wanted.error);
  process.exit(2);
}
const print = console.log;
if (wanted.planOnly) console.log = console.error; // set-up speaks too
await ready(import.meta.url).catch(endWith);
// What they import is there only after the set-up.
if (wanted.planOnly) {
  const { planOf } = await import('./chaos/plan.mjs');
  print(JSON.stringify(planOf(wanted), null, 2));
  process.exit(0);
}
const { runChaos } = await import('./chaos/run-chaos.mjs');
process.exit(await runChaos(wanted));
