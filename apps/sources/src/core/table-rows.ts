/**
 * A table as Markdown rows: every cell as it is, between ` | `, with a rule under the first row. Rows may have different
 * lengths; nothing is padded away or dropped.
 */
export function tableRows(rows: readonly (readonly string[])[]): string {
  const [head, ...rest] = rows;
  if (head === undefined) return '';
  return [tableRow(head), tableRule(head.length), ...rest.map(tableRow)].join('\n');
}

export const tableRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Under the first row. */
export const tableRule = (columns: number): string => `|${' --- |'.repeat(Math.max(columns, 1))}`;
