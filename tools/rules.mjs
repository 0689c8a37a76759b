/**
 * `npm run rules`: lists rule → tests. Fails when a rule that docs/rules.md marks `yes` or `partly` has no test, or when a title cites a
 * rule that does not exist. `--report` lists and never fails. `--root <folder>` looks at another workspace.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { headComment } from './head-comment.mjs';
import { readRules } from './rules/read-rules.mjs';
import { readTitles } from './rules/read-titles.mjs';

const { values: options } = (() => {
  try {
    return parseArgs({
      options: {
        report: { type: 'boolean', default: false },
        root: { type: 'string', default: process.cwd() },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n  see npm run rules -- --help`);
    process.exit(2);
  }
})();
if (options.help) {
  console.log(headComment(import.meta.url));
  process.exit(0);
}
const root = options.root;
const rules = readRules(readFileSync(join(root, 'docs/rules.md'), 'utf8'));

/** @type {Map<string, string[]>} */
const proofs = new Map();
const specs = globSync('{apps,libs,tools}/**/*.spec.ts', {
  cwd: root,
  exclude: (name) => /(^|\/)(node_modules|dist|out-tsc|rules-fixture)$/.test(name),
}).sort();
for (const file of specs) {
  for (const { title, rules: cited } of readTitles(readFileSync(join(root, file), 'utf8'), file)) {
    for (const rule of cited) proofs.set(rule, [...(proofs.get(rule) ?? []), `${file}: ${title}`]);
  }
}

for (const { rule, mark, missing } of rules) {
  const tests = proofs.get(rule) ?? [];
  console.log(
    `${rule} ${mark}${missing === undefined ? '' : ` (without: ${missing})`}, ${count(tests.length, 'test')}`,
  );
  for (const test of tests) console.log(`    ${test}`);
}
const cases = [...proofs.keys()].filter((rule) => rule.startsWith('F-')).sort();
if (cases.length > 0) console.log(`Cases from the field: ${cases.join(', ')}`);

const known = new Set(rules.map(({ rule }) => rule));
const held = rules.filter(({ mark }) => mark !== 'later');
const unproven = held.filter(({ rule }) => !proofs.has(rule)).map(({ rule }) => rule);
const unheard = [...proofs.keys()].filter((rule) => !rule.startsWith('F-') && !known.has(rule));
console.log(`${held.length} of ${rules.length} rules are held; ${held.length - unproven.length} of them have a test.`);
if (unproven.length > 0) console.log(`Without a test: ${unproven.join(', ')}`);
for (const rule of unheard) console.log(`No such rule: ${rule}, cited by ${proofs.get(rule)?.[0]}`);
if (!options.report && unproven.length + unheard.length > 0) process.exitCode = 1;

/** @param {number} n @param {string} noun */
function count(n, noun) {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
