/**
 * Runs ESLint with the workspace's own configuration over the fixtures and prints, as JSON, what each one should
 * report and what was reported: `[{ file, expected: ["12 rule-id"], reported: ["12 rule-id"] }]`.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const folder = join(here, 'fixtures');

const typed = new ESLint({ cwd: root, ignore: false });
// A fixture that is judged at another path belongs to no TypeScript program: its case needs no types.
const untyped = new ESLint({
  cwd: root,
  ignore: false,
  overrideConfig: [
    { ...tseslint.configs.disableTypeChecked, files: ['**/*.ts'] },
    { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false } } },
  ],
});

const long = (lines) =>
  ['export const lines = [', ...Array.from({ length: lines - 2 }, (_, i) => `  ${i},`), '];'].join('\n');
const generated = [
  ...[200, 201].map((lines) => ({ as: 'apps/budget/src/core/ledger.ts', lines, limit: 200 })),
  ...[400, 401].map((lines) => ({ as: 'apps/budget/src/handlers/reserve.ts', lines, limit: 400 })),
  { as: 'apps/budget/src/adapters/postgres/migrations/first.ts', lines: 900, limit: 900 },
];

const findings = [];
for (const file of readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .sort()) {
  const text = readFileSync(join(folder, file), 'utf8');
  const as = /^\/\/ as: (\S+)/.exec(text)?.[1];
  const [result] = as
    ? await untyped.lintText(text, { filePath: join(root, as) })
    : await typed.lintText(text, { filePath: join(folder, file) });
  findings.push({
    file: relative(folder, join(folder, file)),
    expected: expectations(text),
    reported: reports(result),
  });
}
for (const { as, lines, limit } of generated) {
  const [result] = await untyped.lintText(long(lines), { filePath: join(root, as) });
  const expected = lines > limit ? [`${limit + 1} max-lines`] : [];
  findings.push({ file: `${lines} lines as ${as}`, expected, reported: reports(result) });
}
console.log(JSON.stringify(findings));

function expectations(text) {
  return text
    .split('\n')
    .flatMap((line, index) => {
      const rules = /\/\/ error: (.+)$/.exec(line)?.[1];
      return rules === undefined ? [] : rules.split(', ').map((rule) => `${index + 1} ${rule}`);
    })
    .sort();
}

function reports({ messages }) {
  return messages.map(({ line, ruleId, message }) => `${line} ${ruleId ?? message}`).sort();
}
