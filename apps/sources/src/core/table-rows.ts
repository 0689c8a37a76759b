/**
 * A table as Markdown rows: every cell as it is, between ` | `, with a rule under the first row. Rows may have different
 * lengths; nothing is padded away or dropped.
 */
export function tableRows(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  const [head, ...rest] = lines;
  if (head === undefined) return '';
  return [head, `|${' --- |'.repeat(Math.max(rows[0]?.length ?? 0, 1))}`, ...rest].join('\n');
}
