import { findMetrics, isKnownMetric, METRICS, metricName } from './extract/metrics.js';
import { findNames, nameKey } from './extract/names.js';
import { findPeriods } from './extract/periods.js';
import type { Figure } from './extract/figure.js';
import type { DocumentFigure, Knowledge } from './notes/knowledge.js';

export type Language = 'en' | 'zh';

/** What the question is about, as far as it says; what it leaves open is everything that was found. */
export interface Scope {
  language: Language;
  metrics: { key: string; label: string }[];
  /** Keys of names, with the name to show. */
  entities: Map<string, string>;
  /** Empty: any. */
  periods: Set<string>;
}

export const languageOf = (question: string): Language => (/\p{Script=Han}/u.test(question) ? 'zh' : 'en');

/** Names that the question gives or that figures were found for. */
export function knownNames(question: string, known: Knowledge): string[] {
  const byKey = new Map<string, string>();
  const asked = findNames(question, []).filter((n) => n.rank >= 2);
  for (const name of [...asked.map((n) => n.name), ...known.figures.map((f) => f.entity)]) {
    const key = nameKey(name);
    if (key.length >= 2 && !byKey.has(key)) byKey.set(key, name);
  }
  return [...byKey.values()];
}

export function scopeOf(question: string, known: Knowledge): Scope {
  const language = languageOf(question);
  const metrics = metricsOf(question, known, language);
  const keys = new Set(metrics.map((m) => m.key));
  const figures = known.figures.filter((f) => keys.has(f.metric));
  return { language, metrics, entities: entitiesOf(question, figures), periods: periodsOf(question) };
}

function metricsOf(question: string, known: Knowledge, language: Language): Scope['metrics'] {
  const found = [...new Set(known.figures.map((f) => f.metric))];
  const mentions = findMetrics(question);
  const asked = new Map<string, string>();
  for (const m of mentions) if (!m.weak && !asked.has(m.key)) asked.set(m.key, question.slice(m.start, m.end));
  const lower = question.toLowerCase();
  for (const key of found) if (!isKnownMetric(key) && lower.includes(key)) asked.set(key, key);
  if (mentions.some((m) => m.weak) || (asked.size === 0 && /fees?|costs?|charges?|费用|成本/iu.test(question))) {
    for (const { key, topic } of METRICS)
      if (topic === 'cost' && found.includes(key) && !asked.has(key)) asked.set(key, metricName(key, language));
  }
  if (asked.size > 0) return [...asked].map(([key, label]) => ({ key, label }));
  if (!isOpen(question, known)) return [];
  const several = (key: string): boolean =>
    new Set(known.figures.filter((f) => f.metric === key).map((f) => nameKey(f.entity))).size >= 2;
  return found
    .filter((key) => isKnownMetric(key) || several(key))
    .map((key) => ({ key, label: metricName(key, language) }));
}

/** Strangers that a part may add: a table of hundreds of names is not worth noting for the few that were asked for. */
const MOST_STRANGERS = 40;

/** The figures that the question can use: of measures that it names, where it names any, and of not too many other names. */
export function askedFor<F extends Figure>(figures: readonly F[], question: string): F[] {
  const lower = question.toLowerCase();
  const mentions = findMetrics(question);
  const strong = new Set(mentions.filter((m) => !m.weak).map((m) => m.key));
  const cost = mentions.some((m) => m.weak) || /fees?|costs?|charges?|费用|成本/iu.test(question);
  const isCost = new Set(METRICS.filter(({ topic }) => topic === 'cost').map(({ key }) => key));
  const named = (metric: string): boolean =>
    strong.has(metric) || (cost && isCost.has(metric)) || (!isKnownMetric(metric) && lower.includes(metric));
  const ofMeasure = strong.size === 0 ? [...figures] : figures.filter((f) => named(f.metric));
  const names = new Set(
    findNames(question, [])
      .filter((n) => n.rank >= 2)
      .map((n) => nameKey(n.name)),
  );
  const strangers = ofMeasure.filter((f) => !names.has(nameKey(f.entity)));
  if (names.size === 0 || strangers.length <= MOST_STRANGERS) return ofMeasure;
  return ofMeasure.filter((f) => names.has(nameKey(f.entity)));
}

/** Whether a question that names no measure can mean all of them: it compares, asks for figures, or names what they are of. */
const isOpen = (question: string, known: Knowledge): boolean =>
  /compar|figures?|numbers?|metrics?|measures?|data|overview|differ|比较|对比|指标|数据|概况|差异/iu.test(question) ||
  findNames(question, [...new Set(known.figures.map((f) => f.entity))]).some((n) => n.rank === 3);

function entitiesOf(question: string, figures: readonly DocumentFigure[]): Map<string, string> {
  const all = new Map<string, { name: string; count: number }>();
  for (const f of figures) {
    const key = nameKey(f.entity);
    const entry = all.get(key) ?? { name: f.entity, count: 0 };
    all.set(key, { name: entry.name.length >= f.entity.length ? entry.name : f.entity, count: entry.count + 1 });
  }
  const names = [...all.values()].map((e) => e.name);
  const asked = new Map<string, string>();
  let found = false;
  for (const n of findNames(question, names)) {
    if (n.rank >= 2) asked.set(nameKey(n.name), question.slice(n.start, n.end));
    found ||= all.has(nameKey(n.name));
  }
  // A name without any figure stands beside the others, so that it is seen to be missing.
  if (found) return asked;
  // A stray name with a figure or two is more likely a misreading than something to compare.
  const most = Math.max(0, ...[...all.values()].map((e) => e.count));
  const kept = [...all].filter(([, e]) => e.count * 4 >= most);
  return new Map(kept.map(([key, e]): [string, string] => [key, e.name]));
}

/** Names that the question gives and that no figure of any measure was found for, as it spells them. */
export function namesWithoutFigures(question: string, known: Knowledge): string[] {
  const found = new Set(known.figures.map((f) => nameKey(f.entity)));
  const asked = findNames(question, [...new Set(known.figures.map((f) => f.entity))]);
  return asked.filter((n) => n.rank >= 2 && !found.has(nameKey(n.name))).map((n) => question.slice(n.start, n.end));
}

function periodsOf(question: string): Set<string> {
  const periods = new Set(findPeriods(question).map((p) => p.period));
  for (const m of question.matchAll(
    /((?:19|20)\d{2})\s*年?\s*(?:–|-|—|to|through|until|至|到)\s*((?:19|20)\d{2})/giu,
  )) {
    for (let year = Number(m[1]); year <= Number(m[2]) && year < Number(m[1]) + 30; year++) periods.add(String(year));
  }
  return periods;
}
