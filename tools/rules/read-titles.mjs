import ts from 'typescript';

/**
 * @typedef {{ title: string, rules: string[] }} CitedTest a test that runs, and what it and its describes cite
 */

const CITATION = /^((?:F-)?[A-Z]\d+(?:, (?:F-)?[A-Z]\d+)*): /;
const RUNS = new Set(['it', 'test', 'describe']);
const SKIPS = new Set(['skip', 'todo', 'failing']);

/**
 * Every test of a spec file with the rules that its title, or the title of a `describe` around it, starts with.
 * Skipped tests and empty describes prove nothing and are left out.
 * @param {string} source
 * @param {string} [fileName]
 * @returns {CitedTest[]}
 */
export function readTitles(source, fileName = 'x.spec.ts') {
  /** @type {CitedTest[]} */
  const tests = [];
  /** @param {ts.Node} node @param {string[]} titles */
  const visit = (node, titles) => {
    const call = ts.isCallExpression(node) ? testCall(node) : undefined;
    if (call === undefined) return void ts.forEachChild(node, (child) => visit(child, titles));
    if (call.skipped) return;
    const path = [...titles, call.title];
    if (call.name !== 'describe') tests.push({ title: path.join(' › '), rules: path.flatMap(citedRules) });
    else for (const argument of call.body) visit(argument, path);
  };
  visit(ts.createSourceFile(fileName, source, ts.ScriptTarget.ESNext), []);
  return tests;
}

/** @param {string} title */
function citedRules(title) {
  return CITATION.exec(title)?.[1]?.split(', ') ?? [];
}

/**
 * `it('…')`, `it.each(table)('…')`, `describe.skip('…')`; undefined for any other call.
 * @param {ts.CallExpression} node
 */
function testCall(node) {
  const [first, ...body] = node.arguments;
  const title = first === undefined ? undefined : titleOf(first);
  if (title === undefined) return undefined;
  /** @type {string[]} */
  const members = [];
  /** @type {ts.Expression} */
  let callee = node.expression;
  for (;;) {
    if (ts.isPropertyAccessExpression(callee)) members.push(callee.name.text);
    else if (!ts.isCallExpression(callee) && !ts.isTaggedTemplateExpression(callee)) break;
    callee = ts.isTaggedTemplateExpression(callee) ? callee.tag : callee.expression;
  }
  if (!ts.isIdentifier(callee)) return undefined;
  const name = callee.text.replace(/^[xf](?=it$|test$|describe$)/, '');
  if (!RUNS.has(name)) return undefined;
  return { name, title, body, skipped: callee.text.startsWith('x') || members.some((member) => SKIPS.has(member)) };
}

/** @param {ts.Expression} node */
function titleOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join('');
}
