import { isCorrection, standing } from './corrections.js';
import type { Figure, Surroundings } from './figure.js';
import { findMetrics, metricKind, type MetricMention } from './metrics.js';
import { findNames, type NameMention } from './names.js';
import { findPeriods, type PeriodMention } from './periods.js';
import { findValues, type ValueMention } from './values.js';

export interface Sentence {
  text: string;
  /** Character index of the sentence in the part of the document that is read. */
  start: number;
}

/** Cuts after end marks, not inside numbers and not after single initials. */
export function sentencesOf(text: string, start: number): Sentence[] {
  const out: Sentence[] = [];
  let from = 0;
  for (const m of text.matchAll(
    /(?<!\b\p{L}|\bno|\bapprox|\bca|\bvs|\bCo(?=\.\s+(?:KG|KGaA|OHG|Ltd|Inc|LLC)\b))[.!?](?=\s+[^a-z]|\s*$)|[。！？；](?!\s*$)|[。！？；]/gu,
  )) {
    push(m.index + m[0].length);
  }
  push(text.length);
  return out;

  function push(end: number): void {
    const raw = text.slice(from, end);
    const lead = raw.length - raw.trimStart().length;
    if (raw.trim() !== '') out.push({ text: raw.trim(), start: start + from + lead });
    from = end;
  }
}

/** Not about any one thing's own figure, or not about what was. */
const OTHERS =
  /\b(?:average|median|sector|peers?|benchmark|category|industry|competitors?)\b|平均|中位数|同类|行业|基准/iu;
const NOT_YET =
  /\b(?:target(?:s|ed)?|forecast(?:s|ed)?|expects?|expected|plans? to|planned|aims?|would|could|budgeted|cap(?:ped)? at|limit of)\b|目标|预计|预期|计划|拟/iu;

/** Figures of a paragraph. A sentence that names nothing goes on about what the sentence before it named. */
export function readProse(text: string, start: number, around: Surroundings, known: readonly string[]): Figure[] {
  const figures: Figure[] = [];
  let subject: { entity?: string; metric?: string } = {};
  let correcting = around.corrected === true;
  for (const sentence of sentencesOf(text, start)) {
    const said = new SentenceReader(sentence, around, known, subject, correcting).read();
    figures.push(...said.figures);
    correcting ||= said.correcting;
    subject = {
      ...subject,
      ...(said.entity ? { entity: said.entity } : {}),
      ...(said.metric ? { metric: said.metric } : {}),
    };
  }
  return figures;
}

class SentenceReader {
  private readonly metrics: MetricMention[];
  private readonly names: NameMention[];
  private readonly periods: PeriodMention[];
  private readonly values: ValueMention[];

  constructor(
    private readonly sentence: Sentence,
    private readonly around: Surroundings,
    known: readonly string[],
    private readonly subject: { entity?: string; metric?: string },
    private readonly correctingBefore: boolean,
  ) {
    const { text } = sentence;
    this.metrics = findMetrics(text);
    this.periods = findPeriods(text);
    const names = findNames(text, known);
    const best = Math.max(0, ...names.map((n) => n.rank));
    this.names = names.filter((n) => n.rank === best || n.rank >= 2);
    this.values = findValues(text);
  }

  read(): { figures: Figure[]; entity?: string; metric?: string; correcting: boolean } {
    const { text } = this.sentence;
    const correcting = isCorrection(text);
    const own = this.names.length === 1 ? this.names[0]?.name : undefined;
    // "It cost 610 a month" says nothing of what the next sentence measures.
    const [only, ...others] = this.metrics;
    const metric = others.length === 0 && only?.weak !== true ? only?.key : undefined;
    const about = { ...(own ? { entity: own } : {}), ...(metric ? { metric } : {}), correcting };
    if (NOT_YET.test(text)) return { figures: [], ...about };
    const figures = this.values.flatMap((value, i) => this.figureOf(value, i, correcting || this.correctingBefore));
    return { figures, ...about };
  }

  private figureOf(value: ValueMention, i: number, correcting: boolean): Figure[] {
    const { text, start } = this.sentence;
    const verdict = correcting ? standing(text, value.start) : 'unsaid';
    if (verdict === 'wrong' || value.unit === 'pp') return [];
    const metric = this.metricOf(value);
    if (metric === undefined || !fits(metric, value)) return [];
    const entity = this.entityOf(value, i);
    if (entity === undefined) return [];
    return [
      {
        entity,
        metric,
        period: this.periodOf(value, i) ?? '',
        value: value.value,
        unit: value.unit,
        start,
        end: start + text.length,
        corrected: correcting,
      },
    ];
  }

  private metricOf(value: ValueMention): string | undefined {
    const after = this.metrics.find(
      (m) => m.start >= value.end && this.gap(value.end, m.start, 12) && !this.between(value.end, m.start),
    );
    const before = this.metrics.filter((m) => m.end <= value.start).at(-1);
    const fitting = [before, after, ...this.metrics].find((m) => m !== undefined && fits(m.key, value));
    return fitting?.key ?? (this.metrics.length === 0 ? (this.subject.metric ?? this.around.metric) : undefined);
  }

  private entityOf(value: ValueMention, i: number): string | undefined {
    const { text } = this.sentence;
    if (/\brespectively\b|分别/iu.test(text) && this.names.length === this.values.length) return this.names[i]?.name;
    const after = this.names.find((n) => n.start >= value.end);
    if (
      after &&
      /^\s*(?:\(?\s*(?:at|for|by|in the case of|in)\s+(?:the\s+)?|[(（])$/iu.test(text.slice(value.end, after.start))
    )
      return after.name;
    const before = this.names.filter((n) => n.end <= value.start).at(-1);
    const others = OTHERS.exec(text.slice(before?.end ?? 0, value.start));
    if (others) return undefined;
    if (before) return before.name;
    if (after) return after.name;
    return this.subject.entity ?? this.around.entity;
  }

  private periodOf(value: ValueMention, i: number): string | undefined {
    const { text } = this.sentence;
    if (/\brespectively\b|分别/iu.test(text) && this.periods.length === this.values.length)
      return this.periods[i]?.period;
    const after = this.periods.find((p) => p.start >= value.end);
    if (
      after &&
      /^\s*[,(（]?\s*(?:(?:in|for|at|as of|during|by)\s+(?:the\s+)?(?:year\s+|end of\s+|(?:financial|fiscal|calendar|reporting) year\s+)*|holdings\s+in\s+)?$/iu.test(
        text.slice(value.end, after.start),
      )
    ) {
      return after.period;
    }
    const before = this.periods.filter((p) => p.end <= value.start).at(-1);
    return before?.period ?? after?.period ?? this.around.period;
  }

  private gap(from: number, to: number, limit: number): boolean {
    return to - from <= limit;
  }

  /** Whether another value stands between two places. */
  private between(from: number, to: number): boolean {
    return this.values.some((v) => v.start >= from && v.end <= to);
  }
}

/** Whether a value's unit can be one of the measure's. In running text a bare number is only a count. */
function fits(metric: string, value: ValueMention): boolean {
  const percent = value.unit === '%' || value.unit === 'bp';
  switch (metricKind(metric)) {
    case 'percent':
      return percent;
    case 'money':
      return (
        !percent &&
        value.unit !== '' &&
        /million|billion|thousand|trillion|EUR|USD|GBP|CHF|CNY|JPY|元|亿|万/u.test(value.unit)
      );
    case 'count':
      return value.unit === '' || /^(?:只|个|家|人)$/u.test(value.unit);
    case 'any':
      return value.unit !== '';
  }
}
