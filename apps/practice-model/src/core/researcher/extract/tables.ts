import { isCorrection, isSuperseded } from './corrections.js';
import type { Figure, Surroundings } from './figure.js';
import { labelOf, type Label } from './labels.js';
import type { Row } from './lines.js';
import { isKnownMetric, metricKind } from './metrics.js';
import { nameInHeading } from './names.js';
import { wholePeriod } from './periods.js';
import { cellValue, unitFrom } from './values.js';

type Role = 'entity' | 'metric' | 'period' | 'unit' | 'value' | 'note';
interface Column {
  role: Role;
  label: Label;
}

const ROLE_WORDS: readonly [Role, RegExp][] = [
  ['unit', /^(?:units?|单位)$/iu],
  [
    'period',
    /^(?:years?|periods?|dates?|as of|reporting (?:year|period|date)|financial year|fiscal year|年份|年度|期间|报告期|日期|截止日期|时间)$/iu,
  ],
  ['metric', /^(?:metrics?|measures?|indicators?|items?|key figures?|figures?|position|fact|what|指标|项目|名目)$/iu],
  ['value', /^(?:values?|amounts?|readings?|results?|level|数值|值|数据|金额)$/iu],
  [
    'entity',
    /^(?:(?:fund|etf|product|company|entity|issuer|bank|portfolio)(?: name)?|name|基金(?:名称|简称)?|产品(?:名称)?|名称|公司(?:名称)?|简称)$/iu,
  ],
  ['note', /^(?:notes?|remarks?|comments?|source|status|备注|说明|来源|isin|code|代码|currency|币种|document|page)$/iu],
];

/** Every numeric cell with what its row, its column and its surroundings say of it. */
export function readTable(
  header: string[],
  rows: Row[],
  around: Surroundings,
  known: readonly string[],
  decimalComma = false,
): Figure[] {
  const columns = columnsOf(header, rows, decimalComma);
  // Two columns of numbers without a word above them: nobody can say which is which.
  const unlabelled = columns.filter((c, i) => c.role === 'value' && (header[i] ?? '') === '').length;
  const hasEntities = columns.some((c) => c.role === 'entity');
  const figures: Figure[] = [];
  for (const row of rows) {
    const said = rowOf(row, columns, known);
    if (said.skip) continue;
    columns.forEach((column, c) => {
      if (column.role !== 'value' || isSuperseded(column.label.rest)) return;
      if (unlabelled > 1 && (header[c] ?? '') === '') return;
      const read = cellValue(row.cells[c] ?? '', decimalComma);
      if (!read) return;
      const byColumn =
        column.label.metric ??
        (hasEntities && said.metric === undefined ? unknownMetric(column.label.rest) : undefined);
      const byHeading = hasEntities && column.label.period !== undefined ? around.label : undefined;
      const metric = said.metric ?? byColumn ?? around.metric ?? byHeading;
      const entity = said.entity ?? (hasEntities ? undefined : nameOf(column.label.rest, known)) ?? around.entity;
      if (metric === undefined || entity === undefined) return;
      const unit = read.unit || said.unit || column.label.unit || around.unit || '';
      if (unit === '' && metricKind(metric) === 'money' && isKnownMetric(metric) && Number(read.value) < 1) return;
      figures.push({
        entity,
        metric,
        period: said.period ?? column.label.period ?? around.period ?? '',
        value: read.value,
        unit,
        start: row.start,
        end: row.end,
        corrected: around.corrected === true || said.corrected || isCorrection(column.label.rest),
      });
    });
  }
  return figures;
}

function columnsOf(header: string[], rows: Row[], decimalComma: boolean): Column[] {
  const width = Math.max(header.length, ...rows.map((row) => row.cells.length));
  const columns: Column[] = [];
  for (let c = 0; c < width; c++) {
    const text = header[c] ?? '';
    const label = labelOf(text);
    const cells = rows.map((row) => row.cells[c] ?? '').filter((cell) => cell !== '');
    columns.push({ label, role: roleOf(text, label, cells, columns, decimalComma) });
  }
  return columns;
}

function roleOf(text: string, label: Label, cells: string[], before: Column[], decimalComma: boolean): Role {
  const share = (test: (cell: string) => boolean): number => cells.filter(test).length / Math.max(1, cells.length);
  const named = ROLE_WORDS.find(([, words]) => words.test(text.replace(/\*\*/gu, '').trim()))?.[0];
  const numeric = share(
    (cell) => cellValue(cell, decimalComma) !== undefined || /^(?:[-–—]|n\/?a|k\.\s?a\.)$/iu.test(cell),
  );
  const periods = share((cell) => wholePeriod(cell) !== undefined);
  if (named !== undefined && named !== 'metric' && named !== 'entity' && named !== 'value') return named;
  if (periods >= 0.6 && label.metric === undefined && label.period === undefined) return 'period';
  if (numeric >= 0.5 || label.metric !== undefined || (label.period !== undefined && before.length > 0)) return 'value';
  if (cells.some((cell) => cellValue(cell, decimalComma) !== undefined) && before.length > 0) return 'value';
  if (share((cell) => labelOf(cell).metric !== undefined && labelOf(cell).rest.length < 12) >= 0.5) return 'metric';
  if (named !== undefined) return named;
  return before.some((column) => column.role === 'entity' || column.role === 'metric') ? 'note' : 'entity';
}

interface RowSaid {
  entity?: string;
  metric?: string;
  period?: string;
  unit?: string;
  corrected: boolean;
  skip: boolean;
}

function rowOf(row: Row, columns: Column[], known: readonly string[]): RowSaid {
  const said: RowSaid = { corrected: false, skip: false };
  columns.forEach(({ role }, c) => {
    const cell = (row.cells[c] ?? '').replace(/\*\*|`/gu, '').trim();
    if (cell === '') return;
    const label = labelOf(cell);
    if (role === 'entity') {
      if (label.metric !== undefined && label.rest.length < 3) setMetric(said, label);
      else said.entity = entityOf(cell, known);
      if (
        /^(?:(?:total|average|mean|median|sum|benchmark|all funds|sector|peers?)(?![\p{L}\p{N}])|合计|平均|总计|中位数|同类)/iu.test(
          cell,
        )
      )
        said.skip = true;
    } else if (role === 'metric') setMetric(said, { ...label, metric: label.metric ?? unknownMetric(label.rest) });
    else if (role === 'period') said.period = wholePeriod(cell) ?? label.period;
    else if (role === 'unit') said.unit = unitFrom(cell) ?? cell;
    else if (role === 'note' && isCorrection(cell)) said.corrected = true;
    if ((role === 'entity' || role === 'metric') && isSuperseded(cell)) said.skip = true;
    if (role === 'metric' && isCorrection(cell)) said.corrected = true;
  });
  return said;
}

function setMetric(said: RowSaid, label: Label): void {
  if (label.metric !== undefined) said.metric = label.metric;
  if (label.period !== undefined) said.period = label.period;
  if (label.unit !== undefined) said.unit = label.unit;
}

const entityOf = (cell: string, known: readonly string[]): string =>
  nameInHeading(cell, known) ??
  cell
    .replace(/\s*[([（].*$/u, '')
    .replace(/[*†‡]+$/u, '')
    .trim();

const nameOf = (text: string, known: readonly string[]): string | undefined =>
  text === '' ? undefined : nameInHeading(text, known);

/** A measure that no list knows is named by its label. */
function unknownMetric(rest: string): string | undefined {
  const label = rest.toLowerCase().replace(/\s+/gu, ' ').trim();
  return label.length < 3 || label.length > 60 || ROLE_WORDS.some(([, words]) => words.test(label)) ? undefined : label;
}
