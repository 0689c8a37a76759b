import { findMetrics } from './metrics.js';
import { findPeriods } from './periods.js';

/** Words that say what kind of thing a name names. */
const TYPE = String.raw`Fund|Funds|ETF|UCITS|Trust|Portfolio|Plc|PLC|Ltd|Limited|Inc|Corp|AG|SE|GmbH|Bank|Company|Group|Partners`;
const HAN_TYPE = '基金|银行|公司|集团|信托';

/** Capitalised words that begin sentences or fill headings and are never a name by themselves. */
const PLAIN = new Set(
  (
    'a an the in on at of for to by as it its this that these those both all each every no not and or but while when with from ' +
    'after before during since until under over between among against per than however although because if there here they he she ' +
    'we our you your their his her one two three four five six seven eight nine ten first second third last next other such same ' +
    'january february march april may june july august september october november december monday tuesday wednesday thursday friday ' +
    'saturday sunday annual report reports year years quarter half key figures figure facts factsheet fact sheet overview summary review ' +
    'market notice note notes table source sources data document correction corrections corrected erratum errata corrigendum restated ' +
    'introduction background outlook appendix contents page comparison compared results result performance costs cost fees fee charges ' +
    'charge size holdings risk tracking invented fictional example sample about general information profile basic statistics details ' +
    'question answer purpose scope method methodology disclaimer important update newsletter letter bulletin press release survey study ' +
    'portfolio portfolios fund funds total average mean median sector peer peers benchmark index indices value values amount unit units ' +
    'period metric measure item indicator name entity product category type class eur usd gbp chf cny isin aum ter ocf etf ucits ' +
    'published previously originally meanwhile finally investors investor managers manager management assets net ongoing distribution dividend ' +
    'return returns yield percent million billion compare research find which what how please list show give end mid early late status'
  ).split(' '),
);

export interface NameMention {
  name: string;
  start: number;
  end: number;
  /** 3 known, 2 says its type, 1 merely capitalised. */
  rank: 1 | 2 | 3;
}

/** One key for the spellings of one name: "The Alder Fund", "ALDER", "Alder 基金". */
export function nameKey(name: string): string {
  const base = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/^the\s+/u, '')
    .replace(/['’]s$/u, '');
  const bare = base.replace(
    new RegExp(String.raw`(?:[\s-]+(?:${TYPE})|指数?(?:${HAN_TYPE})|${HAN_TYPE})+$`, 'giu'),
    '',
  );
  const squeezed = (bare === '' ? base : bare).replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return squeezed === '' ? base : squeezed;
}

const LATIN_NAME =
  /\p{Lu}[\p{L}\p{N}&'’-]*(?:\s+(?:of\s+(?:the\s+)?)?(?:\p{Lu}[\p{L}\p{N}&'’-]*|\d{1,3}(?![\d.,%])))*/gu;
const HAN_NAME = new RegExp(
  String.raw`(?:[A-Za-z][A-Za-z0-9&-]*(?:\s[A-Z][A-Za-z0-9&-]*)*\s?|\p{Script=Han}{2,8}?)(?:指数)?(?:${HAN_TYPE})`,
  'gu',
);
const HAN_LEAD =
  /^(?:其中|截至|而|和|与|及|在|的|本|该|关于|比较|对比|另外|此外|同期|年度?|末|底|日|月|对|将|由|中|下|上|各|三只|两只|四只|五只)+/u;

/** Names in order of place: those in `known` (display names), typed ones, and capitalised phrases that are not plain words. */
export function findNames(text: string, known: readonly string[]): NameMention[] {
  const out: NameMention[] = [];
  const add = (mention: NameMention): void => {
    if (!out.some((k) => mention.start < k.end && k.start < mention.end)) out.push(mention);
  };
  for (const name of [...known].sort((a, b) => b.length - a.length)) {
    for (const m of text.matchAll(knownPattern(name))) {
      add({ name, start: m.index, end: m.index + m[0].length, rank: 3 });
    }
  }
  for (const m of text.matchAll(HAN_NAME)) {
    const lead = HAN_LEAD.exec(m[0])?.[0].length ?? 0;
    const name = m[0].slice(lead).trim();
    if (nameKey(name).length < 2 || name.length < 4) continue;
    add({ name, start: m.index + lead, end: m.index + m[0].length, rank: 2 });
  }
  for (const { phrase, index } of latinPhrases(text)) {
    const name = trimPlain(phrase);
    if (name === undefined) continue;
    const start = index + phrase.indexOf(name);
    const typed = new RegExp(String.raw`\s(?:${TYPE})$`, 'u').test(name);
    add({ name, start, end: start + name.length, rank: typed ? 2 : 1 });
  }
  return out.sort((a, b) => a.start - b.start);
}

/** Capitalised phrases; a type word ends a name, so that names that stand side by side in a line come apart. */
function latinPhrases(text: string): { phrase: string; index: number }[] {
  const ends = new RegExp(String.raw`(?<=\s(?:${TYPE}))\s+(?=\p{Lu})(?!(?:${TYPE})(?![\p{L}]))`, 'u');
  const out: { phrase: string; index: number }[] = [];
  for (const m of text.matchAll(LATIN_NAME)) {
    let at = m.index;
    for (const phrase of m[0].split(ends)) {
      const index = text.indexOf(phrase, at);
      out.push({ phrase, index });
      at = index + phrase.length;
    }
  }
  return out;
}

/** The name that a title or heading carries, if it carries one. */
export function nameInHeading(heading: string, known: readonly string[]): string | undefined {
  const clean = heading.replace(/^#+\s*/u, '').replace(/[*_`]/gu, '');
  const found = findNames(clean, known);
  const best = found.find((n) => n.rank === 3) ?? found.find((n) => n.rank === 2);
  if (best) return found.filter((n) => n.rank === best.rank).length === 1 ? best.name : undefined;
  for (const segment of clean.split(/\s*[:：–—|,，(（]\s*|\s-\s/u)) {
    const rest = without(segment, [...findPeriods(segment), ...findMetrics(segment)]).trim();
    const name = trimPlain(rest);
    if (
      name !== undefined &&
      name === rest &&
      /^(?:\p{Lu}[\p{L}\p{N}&'’-]*)(?:\s+\p{Lu}[\p{L}\p{N}&'’-]*){0,4}$/u.test(name)
    ) {
      return name;
    }
  }
  return undefined;
}

function knownPattern(name: string): RegExp {
  const escape = (s: string): string => s.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&').replace(/\s+/gu, '\\s+');
  const bare = name.replace(new RegExp(String.raw`[\s-]*(?:${TYPE}|(?:指数)?(?:${HAN_TYPE}))$`, 'iu'), '');
  const words = bare.length >= 3 ? `${escape(bare)}(?:\\s?(?:${TYPE}|(?:指数)?(?:${HAN_TYPE})))?` : escape(name);
  return /^[\x20-\x7e]/u.test(name)
    ? new RegExp(String.raw`(?<![\p{Script=Latin}\d])(?:${words})(?![\p{Script=Latin}\d])`, 'giu')
    : new RegExp(words, 'gu');
}

/** Without plain words at either end; undefined when nothing or only a type word is left. */
function trimPlain(phrase: string): string | undefined {
  let words = phrase.replace(/['’]s$/u, '').split(/\s+/u);
  const plain = (word: string | undefined): boolean =>
    word !== undefined && PLAIN.has(word.toLowerCase().replace(/['’]s$/u, ''));
  while (words.length > 0 && plain(words[0])) words = words.slice(1);
  const typed = new RegExp(`^(?:${TYPE})$`, 'u');
  while (words.length > 0 && plain(words.at(-1)) && !(typed.test(words.at(-1) ?? '') && words.length > 1)) {
    words = words.slice(0, -1);
  }
  const name = words.join(' ').replace(/['’]s$/u, '');
  if (
    name.length < 2 ||
    typed.test(name) ||
    findMetrics(name).some((m) => !m.weak && m.end - m.start >= name.length - 2)
  )
    return undefined;
  return name;
}

function without(text: string, spans: readonly { start: number; end: number }[]): string {
  return [...spans].sort((a, b) => b.start - a.start).reduce((t, s) => t.slice(0, s.start) + t.slice(s.end), text);
}
