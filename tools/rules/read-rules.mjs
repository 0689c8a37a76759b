/**
 * @typedef {{ rule: string, mark: 'yes' | 'partly' | 'later', missing: string | undefined }} Rule
 */

const LINE = /^- \*\*([A-Z]\d+)\*\* \[(?:(yes|later)|partly: ([^\]]+))\] \S/;

/**
 * The rules of a `docs/rules.md` in their order. Throws, naming the line, when a line that looks like a rule is not one
 * or a rule stands twice.
 * @param {string} markdown
 * @returns {Rule[]}
 */
export function readRules(markdown) {
  /** @type {Map<string, Rule>} */
  const rules = new Map();
  for (const [index, line] of markdown.split('\n').entries()) {
    if (!line.startsWith('- **')) continue;
    const match = LINE.exec(line);
    if (match === null) throw new Error(`rules, line ${index + 1}: expected "- **B1** [yes] text", found "${line}"`);
    const [, rule = '', plain, missing] = match;
    if (rules.has(rule)) throw new Error(`rules, line ${index + 1}: ${rule} stands twice`);
    const mark = plain === 'yes' || plain === 'later' ? plain : 'partly';
    rules.set(rule, { rule, mark, missing });
  }
  return [...rules.values()];
}
