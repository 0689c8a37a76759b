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
  if (!starts) return byUnits(line, width) ?? cells;
  const first = line.slice(0, starts[0]).trim();
  return [first, ...starts.map((start, i) => line.slice(start, starts[i + 1] ?? line.length).trim())];
}

const CORNER = /^(?:Fund|ETF|Trust|Company|Name|Product|Metric|Indicator|Item|基金|名称|产品|指标)\s+(?=\S)/iu;

/** After its corner word the line is cut where a known measure or a unit in brackets ends. */
function byUnits(line: string, width: number): string[] | undefined {
  const corner = CORNER.exec(line)?.[0];
  if (corner === undefined) return undefined;
  const rest = line.slice(corner.length);
  const ends = findMetrics(rest).map(
    (m) => m.end + (/^\s*[(（][^)）]*[)）]/u.exec(rest.slice(m.end))?.[0].length ?? 0),
  );
  for (const m of rest.matchAll(/[)）]/gu)) if (!ends.includes(m.index + 1)) ends.push(m.index + 1);
  const cuts = [...new Set([0, ...ends, rest.length])].sort((a, b) => a - b);
  const labels = cuts
    .slice(1)
    .map((end, i) => rest.slice(cuts[i], end).trim())
    .filter((label) => label !== '');
  return labels.length === width - 1 ? [corner.trim(), ...labels] : undefined;
}
