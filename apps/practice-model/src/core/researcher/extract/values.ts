/** A number with its unit, as the text has it. */
export interface ValueMention {
  /** Digits without group separators, e.g. `-0.35`, `1234.5`. */
  value: string;
  /** One spelling a unit: `%`, `bp`, `pp`, `EUR million`, `亿元`, `holdings`; empty where there is none. */
  unit: string;
  start: number;
  end: number;
}

const NUMBER = String.raw`(?:\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?!\d)|\d+)(?:\.\d+)?`;
const CURRENCY = String.raw`EUR|USD|GBP|CHF|CNY|RMB|JPY|SEK|NOK|DKK|US\$|€|\$|£|¥`;
const SCALE = String.raw`trillion|billion|bn|million|mln|mn|m|thousand|k`;
const HAN_MONEY = String.raw`(?:万亿|亿|千万|百万|万)(?:美元|欧元|英镑|人民币|元)?|美元|欧元|英镑|元`;
const OTHER = String.raw`basis points?|bps?|percentage points?|pp|percent|per cent|个基点|个百分点|%|％|years?|days?|只|个|家|倍|人`;

const VALUE = new RegExp(
  String.raw`(?<pre>(?:${CURRENCY})\s?)?(?<sign>[-+−–](?=\d))?(?<num>${NUMBER})` +
    String.raw`(?:\s?(?<han>${HAN_MONEY})|\s?(?<scale>${SCALE})(?![A-Za-z])|\s?(?<other>${OTHER})(?![A-Za-z]))?` +
    String.raw`(?:\s?(?<post>${CURRENCY}|euros?|dollars?|pounds?)(?![A-Za-z]))?`,
  'giu',
);

/** Dates, years, ordinals, quarters and page numbers are numbers that measure nothing. */
const NOT_VALUES = new RegExp(
  [
    String.raw`\d{4}\s?年(?:度|末|底)?(?:\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?)?|\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?`,
    String.raw`\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}`,
    String.raw`\d{1,2}(?:st|nd|rd|th)?\s+(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?(?:,?\s+\d{4})?`,
    String.raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s+\d{1,2}(?:,?\s+\d{4})?(?!\d)`,
    String.raw`(?:FY|Q[1-4]|H[12])\s?\d{2,4}|[QH][1-4](?!\d)`,
    String.raw`(?:page|section|table|note|chapter|version|no\.|figure|item|第)\s?\d+(?:\.\d+)*`,
    String.raw`(?<![\d.,])(?:19|20)\d{2}(?![\d.,]?\d|\s?(?:%|％|bp|EUR|USD|million|billion|亿|万|holdings|positions))`,
    String.raw`\[\d+\]|\b[A-Z]{2,}-?\d[\dA-Z-]*\b`,
  ].join('|'),
  'giu',
);

/** Every measured number in order of place. */
export function findValues(text: string): ValueMention[] {
  const masked = text.replace(NOT_VALUES, (m) => ' '.repeat(m.length));
  const out: ValueMention[] = [];
  for (const m of masked.matchAll(VALUE)) {
    const before = masked[m.index - 1] ?? ' ';
    // Inside a word or another number ("A1", "1.2.3") it is part of a name or code.
    if (/[A-Za-z0-9.,_/]/u.test(before) && !/[,.]\s?$/u.test(before)) continue;
    const g = m.groups ?? {};
    if (/^[./]\d/u.test(masked.slice(m.index + m[0].length, m.index + m[0].length + 2))) continue;
    const signed = g.sign !== undefined && g.sign !== '+' && !/[0-9A-Za-z]/u.test(before);
    const digits = (g.num ?? '').replace(/[,\u00a0\u202f]/gu, '');
    const end = m.index + m[0].trimEnd().length;
    out.push({ value: signed ? `-${digits}` : digits, unit: unitOf(g), start: m.index, end });
  }
  return out;
}

/** The value of a table cell: the cell must be a number with at most a unit and a footnote mark. */
export function cellValue(cell: string, decimalComma = false): { value: string; unit: string } | undefined {
  const text = cell.replace(/\*\*|[*†‡]+$|^~|`/gu, '').trim();
  const plain = decimalComma ? text.replace(/(\d)\.(?=\d{3}(?!\d))/gu, '$1').replace(/(\d),(\d)/u, '$1.$2') : text;
  const bare = /^[-+−–]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/u.exec(plain);
  if (bare) return { value: plain.replace(/,/gu, '').replace(/^[−–]/u, '-').replace(/^\+/u, ''), unit: '' };
  const found = findValues(` ${plain}`);
  const only = found[0];
  if (!only || found.length > 1 || only.start > 1) return undefined;
  const tail = plain.slice(only.end - 1).trim();
  if (tail === '') return { value: only.value, unit: only.unit };
  return only.unit === '' && UNIT_WORD.test(tail) ? { value: only.value, unit: tail } : undefined;
}

const UNIT_WORD = /^\p{L}[\p{L}\d/°²³‰.-]{0,15}$/u;

/** A unit as a label gives it: "(%)", "in EUR million", "（亿元）", "in percent", "(t)". */
export function unitInLabel(label: string): string | undefined {
  const bracket = /[(（[]([^)）\]]*)[)）\]]/u.exec(label)?.[1];
  const inner = bracket ?? /(?:,| in)\s+([^,]+)$/iu.exec(label)?.[1];
  if (inner === undefined) return /%|％/u.test(label) ? '%' : undefined;
  const unit = unitFrom(inner);
  if (unit !== undefined) return unit;
  const word = inner.trim();
  return bracket !== undefined && UNIT_WORD.test(word) && findValues(` ${word} `).length === 0 ? word : undefined;
}

const TRAILING = new RegExp(
  String.raw`(?:(?<=[\s_,])(?:(?<sure>(?:${CURRENCY})[\s_]*(?:${SCALE})|(?:${SCALE})[\s_]+(?:${CURRENCY}|euros?|dollars?|pounds?)` +
    String.raw`|percent|per cent|pct|bps?|basis points?)|(?<maybe>${CURRENCY}|trillion|billion|bn|million|mln|mn|thousand))` +
    String.raw`|(?<han>${HAN_MONEY}))$`,
  'iu',
);

/**
 * The unit that ends a label without brackets, and where it begins: "Revenue GBP million", "revenue_eur_m", "营业收入亿元". A
 * currency or a scale alone may be part of a name, so only behind a measure of money is it a unit.
 */
export function unitAtEnd(label: string, ofMoney: boolean): { unit: string; start: number } | undefined {
  const m = TRAILING.exec(label);
  const { sure, maybe, han } = m?.groups ?? {};
  const word = sure ?? (ofMoney ? (maybe ?? han) : undefined);
  if (!m || word === undefined) return undefined;
  const unit = unitFrom(word.replace(/_+/gu, ' ').replace(/^pct$/iu, 'percent'));
  return unit === undefined ? undefined : { unit, start: m.index };
}

/** The one spelling of a unit that stands alone, e.g. in a column of units. */
export function unitFrom(text: string): string | undefined {
  const clean = text.replace(/^in\s+/iu, '').trim();
  const money = new RegExp(
    String.raw`^(${CURRENCY})\s*(${SCALE})\.?$|^(${SCALE})\s+(${CURRENCY}|euros?|dollars?|pounds?)$`,
    'iu',
  ).exec(clean);
  if (money) return joinMoney(money[1] ?? money[4] ?? '', money[2] ?? money[3] ?? '');
  const value = findValues(` 1 ${clean}`)[0];
  return value && value.unit !== '' && value.end >= clean.length + 3 ? value.unit : undefined;
}

function unitOf(g: Record<string, string | undefined>): string {
  if (g.han !== undefined) return g.han;
  const currency = (g.pre ?? g.post ?? '').trim();
  if (g.scale !== undefined) return joinMoney(currency, g.scale);
  if (g.other !== undefined) return otherUnit(g.other.toLowerCase());
  return currency === '' ? '' : joinMoney(currency, '');
}

const CURRENCIES: Record<string, string> = {
  '€': 'EUR',
  euro: 'EUR',
  euros: 'EUR',
  $: 'USD',
  us$: 'USD',
  dollar: 'USD',
  dollars: 'USD',
  '£': 'GBP',
  pound: 'GBP',
  pounds: 'GBP',
  '¥': 'CNY',
  rmb: 'CNY',
};
const SCALES: Record<string, string> = { bn: 'billion', m: 'million', mn: 'million', mln: 'million', k: 'thousand' };

function joinMoney(currency: string, scale: string): string {
  const c = CURRENCIES[currency.toLowerCase()] ?? currency.toUpperCase();
  const s = SCALES[scale.toLowerCase()] ?? scale.toLowerCase();
  return [c, s].filter((part) => part !== '').join(' ');
}

function otherUnit(word: string): string {
  if (word === '％' || word === '%' || word === 'percent' || word === 'per cent') return '%';
  if (/^(?:bps?|basis points?|个基点)$/u.test(word)) return 'bp';
  if (/^(?:pp|percentage points?|个百分点)$/u.test(word)) return 'pp';
  return word;
}
