/**
 * `npm run demo`: one deep research to its end on private servers, on a fresh clone too.
 *
 *     npm run demo -- --docs <folder> --question "…"      anybody's files
 *     npm run demo -- --help                              the rest
 *
 * What is given and cannot be used is said before anything is done (policy and limits: before a server starts), with exit
 * code 2.
 * Set-up first (see setup.mjs), then the demo itself on the pinned Node. Ctrl-C at any moment leaves no process behind.
 */
import { endWith, ready } from './setup.mjs';
import { checkModel } from './demo/check-model.mjs';
import { HELP, readOptions } from './demo/options.mjs';

const wanted = readOptions(process.argv.slice(2), process.env);
if (wanted === 'help') {
  console.log(HELP);
  process.exit(0);
}
if ('error' in wanted) {
  console.error(wanted.error);
  process.exit(2);
}
const checked = wanted.model ? await checkModel(wanted.model) : { note: null };
if ('error' in checked) {
  console.error(checked.error);
  process.exit(2);
}
await ready(import.meta.url).catch(endWith);
if (checked.note !== null) console.error(`note: ${checked.note}`);
// What they import is there only after the set-up.
const { unusableLimits } = await import('./demo/check-limits.mjs');
const unusable = unusableLimits(wanted);
if (unusable !== null) {
  console.error(unusable);
  process.exit(2);
}
const { runDemo } = await import('./demo/run-demo.mjs');
process.exit(await runDemo(wanted));
