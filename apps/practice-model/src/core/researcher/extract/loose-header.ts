import { findMetrics } from './metrics.js';
import { findNames } from './names.js';
import { findPeriods } from './periods.js';

/** The cells of a header line that came as one text ("Fund 2023 2024"), for a table of `width` columns. */
export function looseHeader(cells: string[], width: number, known: readonly string[]): string[] {
  const line = cells[0] ?? '';
  if (cells.length !== 1 || width < 2) return cells;
  const marks = [
    findPeriods(line),
    findMetrics(line).filter((m) => !m.weak),
    findNames(line, known).filter((n) => n.rank >= 2),
  ];
  const starts = marks.find((found) => found.length === width - 1)?.map((found) => found.start);
  if (!starts) {
    const corner = /^(?:Fund|ETF|Trust|Company|Name|Product|基金|名称|产品|指标|Metric|Indicator|Item)\s+(?=\S)/iu.exec(
      line,
    )?.[0];
    return width === 2 && corner !== undefined ? [corner.trim(), line.slice(corner.length)] : cells;
  }
  const first = line.slice(0, starts[0]).trim();
  return [first, ...starts.map((start, i) => line.slice(start, starts[i + 1] ?? line.length).trim())];
}
