/**
 * `npm run messages`: writes docs/messages.md and docs/asyncapi.json from the contracts.
 *
 *     npm run messages -- --check     writes nothing; exit code 1 when they are not what would be written
 *     npm run messages -- --record    first plays the examples against a private system and keeps what was answered
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { headComment } from './head-comment.mjs';
import { endWith, ready, root } from './setup.mjs';

const args = process.argv.slice(2);
if (args[0] === '--help') {
  console.log(headComment(import.meta.url));
  process.exit(0);
}
if (args.length > 1 || (args[0] !== undefined && !['--check', '--record'].includes(args[0]))) {
  console.error('usage: npm run messages [-- --check | --record]');
  process.exit(2);
}
await ready(import.meta.url).catch(endWith);
const examplesFile = join(root, 'tools/messages/examples.json');
if (args[0] === '--record') {
  const { recordExamples } = await import('./messages/record-examples.mjs');
  writeFileSync(examplesFile, await recordExamples());
}
const { documents } = await import('./messages/documents.mjs');
let stale = false;
for (const [name, text] of Object.entries(documents(JSON.parse(readFileSync(examplesFile, 'utf8'))))) {
  const file = join(root, name);
  if (args[0] !== '--check') writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    stale = true;
    console.error(`${name} is not what the contracts say: npm run messages`);
  }
}
process.exitCode = stale ? 1 : 0;
