import { byteOffsets } from './byte-offsets.js';
import { isCorrection, isSuperseded } from './corrections.js';
import { csvRows } from './csv.js';
import { surroundingsOf, type Context, type Figure, type Surroundings } from './figure.js';
import { labelOf } from './labels.js';
import { cutIntoPieces } from './layout.js';
import type { Piece } from './piece.js';
import type { Row } from './lines.js';
import { findMetrics, isKnownMetric, metricKind } from './metrics.js';
import { nameInHeading } from './names.js';
import { findPeriods, wholePeriod } from './periods.js';
import { readProse } from './prose.js';
import { looseHeader } from './loose-header.js';
import { readTable } from './tables.js';
import { cellValue, unitInLabel } from './values.js';

/**
 * Every figure that a part of a document states, with the byte range of its sentence, row or line, and the context for
 * the part that follows. `start` is the part's byte offset in the document.
 */
export function extractFigures(
  text: string,
  start: number,
  kind: string,
  before: Context,
): { figures: Figure[]; context: Context } {
  const state = new Reader(before);
  // Separated values may come as they are, or already as rows of a Markdown table.
  if (kind === 'csv' && !text.trimStart().startsWith('|')) state.csv(text);
  else for (const piece of cutIntoPieces(text)) state.piece(piece);
  const bytes = byteOffsets(text);
  const at = (index: number): number => start + (bytes[Math.min(index, text.length)] ?? 0);
  return { figures: state.figures.map((f) => ({ ...f, start: at(f.start), end: at(f.end) })), context: state.context };
}

/** What a document's title tells of all of it. */
export function contextOf(title: string, name: string, known: string[]): Context {
  const spoken = title === '' ? name.replace(/\.[a-z0-9]+$/iu, '').replace(/[-_]+/gu, ' ') : title;
  return { title: spoken, levels: [{ level: 0, ...saidBy(spoken, known) }], header: [], known };
}

class Reader {
  readonly figures: Figure[] = [];
  readonly context: Context;
  private caption: Surroundings = {};

  constructor(before: Context) {
    this.context = { ...before, levels: [...before.levels] };
  }

  csv(text: string): void {
    const { rows, decimalComma } = csvRows(text);
    const first = rows[0];
    const startsTable =
      first !== undefined &&
      !first.cells.some((cell) => cellValue(cell, decimalComma) !== undefined && !wholePeriod(cell));
    const header = startsTable ? first.cells : this.context.header;
    const body = startsTable ? rows.slice(1) : rows;
    this.context.header = header;
    this.figures.push(...readTable(header, body, surroundingsOf(this.context), this.context.known, decimalComma));
  }

  piece(piece: Piece): void {
    switch (piece.kind) {
      case 'heading':
        return this.heading(piece.level, piece.text);
      case 'table':
        return this.table(piece.header, piece.rows);
      case 'pair':
        return this.pair(piece);
      case 'prose': {
        this.figures.push(...readProse(piece.text, piece.start, this.around(), this.context.known));
        const short = piece.text.trim();
        this.caption = short.length <= 140 && !/[.。]$/u.test(short) ? saidBy(short, this.context.known) : {};
        return;
      }
      default:
        return piece satisfies never;
    }
  }

  private heading(level: number, text: string): void {
    const kept = this.context.levels.filter((l) => l.level < level);
    this.context.levels = [...kept, { level, ...saidBy(text, this.context.known) }];
    this.context.header = [];
    this.caption = {};
  }

  private table(header: Row | undefined, rows: Row[]): void {
    const width = Math.max(0, ...rows.map((row) => row.cells.length));
    const cells = header === undefined ? this.context.header : looseHeader(header.cells, width, this.context.known);
    if (header !== undefined) this.context.header = cells;
    const around = { ...this.around(), ...this.caption };
    this.figures.push(...readTable(cells, rows, around, this.context.known));
    this.caption = {};
  }

  /** "Ongoing charge (2024): 0.35 %", "Fund: Alder Fund", "Reporting year: 2024". */
  private pair(piece: Extract<Piece, { kind: 'pair' }>): void {
    const { label: text, value, start, end } = piece;
    const top = this.context.levels.at(-1);
    const period = wholePeriod(value);
    if (top && /^(?:fund|name|fund name|product|company|entity|基金|基金名称|名称|产品)$/iu.test(text))
      top.entity = value;
    else if (top && period !== undefined && !findMetrics(text).length) top.period = period;
    else if (
      cellValue(value) === undefined &&
      nameInHeading(text, this.context.known) !== undefined &&
      isTitle(value)
    ) {
      return this.heading(3, `${text}: ${value}`);
    }
    const label = labelOf(text);
    const around = this.around();
    const read = cellValue(value) ?? firstValue(value);
    const entity = nameInHeading(label.rest, this.context.known) ?? around.entity;
    const unknown = label.rest.toLowerCase();
    const metric =
      label.metric ??
      (entity !== undefined && nameInHeading(label.rest, this.context.known) === undefined ? unknown : around.metric);
    if (
      !read ||
      entity === undefined ||
      metric === undefined ||
      metric.length < 3 ||
      isSuperseded(text) ||
      (period !== undefined && read.unit === '')
    ) {
      if (!read && value.length > 20)
        this.figures.push(...readProse(value, end - value.length, around, this.context.known));
      return;
    }
    const unit = read.unit || label.unit || unitInLabel(value) || '';
    if (isKnownMetric(metric) && metricKind(metric) !== 'count' && metricKind(metric) !== 'any' && unit === '') return;
    const inValue = findPeriods(value)[0]?.period;
    const corrected = around.corrected === true || isCorrection(text) || isCorrection(value);
    this.figures.push({
      entity,
      metric,
      period: label.period ?? inValue ?? around.period ?? '',
      value: read.value,
      unit,
      start,
      end,
      corrected,
    });
  }

  private around(): Surroundings {
    return surroundingsOf(this.context);
  }
}

/** "0.35 % (2024)", "0.35 % as of 31 December 2024": one value with remarks. */
function firstValue(text: string): { value: string; unit: string } | undefined {
  const cut = text.split(/\s*[(（,;，；]|\s+(?:as of|at end|in|for)\s/u)[0] ?? '';
  return cellValue(cut);
}

const isTitle = (value: string): boolean =>
  value.length < 60 && !/[.。]$/u.test(value) && firstValue(value) === undefined;

function saidBy(text: string, known: readonly string[]): Surroundings {
  const entity = nameInHeading(text, known);
  const metrics = findMetrics(text).filter((m) => !m.weak);
  const periods = findPeriods(text);
  const said = labelOf(text);
  // Without brackets it is the unit of the one measure that is named.
  const unit = unitInLabel(text) ?? (metrics.length === 1 ? said.unit : undefined);
  const label = said.rest.toLowerCase();
  return {
    ...(entity === undefined && metrics.length === 0 && label.length >= 2 && label.length <= 40 ? { label } : {}),
    ...(entity !== undefined ? { entity } : {}),
    ...(metrics.length === 1 && metrics[0] ? { metric: metrics[0].key } : {}),
    ...(periods.length === 1 && periods[0] ? { period: periods[0].period } : {}),
    ...(unit !== undefined ? { unit } : {}),
    ...(isCorrection(text) ? { corrected: true as const } : {}),
  };
}
