/**
 * `npm run demo`: one deep research to its end on private servers, on a fresh clone too.
 *
 *     npm run demo -- --docs <folder> --question "…"      anybody's files
 *     npm run demo -- --help                              the rest
 *
 * Set-up first (see setup.mjs), then the demo itself on the pinned Node. Ctrl-C at any moment leaves no process behind.
 */
import { ready } from './setup.mjs';
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
try {
  await ready(import.meta.url);
} catch (error) {
  console.error(`set-up: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
// What it imports is there only after the set-up.
const { runDemo } = await import('./demo/run-demo.mjs');
process.exit(await runDemo(wanted));
