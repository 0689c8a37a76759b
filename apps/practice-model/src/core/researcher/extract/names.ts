import { findMetrics } from './metrics.js';
import { findPeriods } from './periods.js';
import { PLAIN_WORDS } from './plain-words.js';

/** Words that say what kind of thing a name names. */
const TYPE =
  'Funds?|ETF|UCITS|Trust|Portfolio|Plc|PLC|Ltd|Limited|LLC|LLP|Inc|Incorporated|Corp|Corporation|AG|SE|GmbH|KG|KGaA|OHG|NV|BV|SA|SpA|AB|ASA|Oyj|' +
  'Bank|Company|Co|Group|Partners|Holdings?';
const HAN_TYPE = '股份有限公司|有限责任公司|有限公司|基金|银行|公司|集团|信托';
const AND = '(?:&|and|und|et)';
/** Whoever stands behind an "and" in the name of one firm; behind "&" anything does. */
const PARTNER =
  'Sons?|Daughters?|Brothers|Bros|Family|Co|Cie|Company|Partners|Associates|Söhne|Sohn|Töchter|Partner|Fils|Hijos|Figli';
/** What a name may end with and still be the same: types, also "& Co. KG"; "& Partners" is no type. */
const SUFFIX = `(?:\\s+${AND}\\s+(?:Co|Cie)\\.?|(?<!&|\\b(?:and|und|et))[\\s-]+(?:${TYPE})\\.?)`;
const HAN_SUFFIX = `(?:指数)?(?:${HAN_TYPE})`;

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
  const bare = base.replace(new RegExp(`(?:${SUFFIX}|指数?(?:${HAN_TYPE})|${HAN_TYPE})+$`, 'giu'), '');
  const squeezed = (bare === '' ? base : bare)
    .replace(JOINT, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return squeezed === '' ? base : squeezed;
}

const WORD = String.raw`(?:Co\.(?=\s+(?:KG|KGaA|OHG|Ltd|Inc|LLC)(?!\p{L}))|\p{Lu}[\p{L}\p{N}&'’-]*)`;
const JOINER = String.raw`(?:\s+(?:&\s*|(?:and|und|et)\s+(?=(?:${PARTNER})(?!\p{L})))|\s+(?:of\s+(?:the\s+)?)?)`;
const LATIN_NAME = new RegExp(String.raw`${WORD}(?:${JOINER}(?:${WORD}|\d{1,3}(?![\d.,%])))*`, 'gu');
/** "Okafor & Sons" is one firm, and so is "Okafor and Sons". */
const JOINT = new RegExp(String.raw`\s+(?:&|(?:and|und|et)(?=\s+(?:${PARTNER})(?!\p{L})))\s+`, 'giu');
const isJoint = (name: string): boolean => name.search(JOINT) >= 0;
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
  const addKnown = (names: readonly string[]): void => {
    for (const name of [...names].sort((a, b) => b.length - a.length)) {
      for (const m of text.matchAll(knownPattern(name))) {
        add({ name, start: m.index, end: m.index + m[0].length, rank: 3 });
      }
    }
  };
  const phrases = latinPhrases(text).flatMap(({ phrase, index }) => {
    const name = trimPlain(phrase);
    return name === undefined ? [] : [{ name, start: index + phrase.indexOf(name) }];
  });
  const addPhrase = ({ name, start }: { name: string; start: number }): void =>
    add({ name, start, end: start + name.length, rank: saysItsType(name) ? 2 : 1 });
  // A name with an "and" in it goes before the names that it seems to be made of, unless those are what is known.
  const keys = new Set(known.map(nameKey));
  addKnown(known.filter(isJoint));
  for (const phrase of phrases) {
    const parts = phrase.name.split(JOINT);
    if (parts.length > 1 && !parts.every((part) => keys.has(nameKey(part)))) addPhrase(phrase);
  }
  addKnown(known);
  for (const m of text.matchAll(HAN_NAME)) {
    const lead = HAN_LEAD.exec(m[0])?.[0].length ?? 0;
    const name = m[0].slice(lead).trim();
    if (nameKey(name).length < 2 || name.length < 4) continue;
    add({ name, start: m.index + lead, end: m.index + m[0].length, rank: 2 });
  }
  for (const phrase of phrases) addPhrase(phrase);
  return out.sort((a, b) => a.start - b.start);
}

const saysItsType = (name: string): boolean =>
  new RegExp(String.raw`\s(?:${TYPE})$|\s${AND}\s(?:${PARTNER})$`, 'u').test(name);

/** Capitalised phrases; a type word ends a name, so that names that stand side by side in a line come apart. */
function latinPhrases(text: string): { phrase: string; index: number }[] {
  const parted = String.raw`(?:\s+|\s+&\s+(?!(?:${PARTNER})(?!\p{L})))`;
  const ends = new RegExp(String.raw`(?<=\s(?:${TYPE}))${parted}(?=\p{Lu})(?!(?:${TYPE})(?!\p{L}))`, 'u');
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
      /^(?:\p{Lu}[\p{L}\p{N}&'’-]*)(?:\s+(?:(?:&|and)\s+)?\p{Lu}[\p{L}\p{N}&'’-]*){0,4}$/u.test(name)
    ) {
      return name;
    }
  }
  return undefined;
}

function knownPattern(name: string): RegExp {
  const escape = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&').replace(/\s+/gu, '\\s+');
  const spelled = (text: string): string =>
    text
      .split(JOINT)
      .map(escape)
      .join(String.raw`\s+${AND}\s+`);
  const bare = name.replace(new RegExp(`(?:${SUFFIX}|\\s*${HAN_SUFFIX})+$`, 'iu'), '');
  const words =
    bare.length >= (/^[\x20-\x7e]/u.test(bare) ? 3 : 2)
      ? `${spelled(bare)}(?:${SUFFIX}|\\s?${HAN_SUFFIX})*`
      : spelled(name);
  return /^[\x20-\x7e]/u.test(name)
    ? new RegExp(String.raw`(?<![\p{Script=Latin}\d])(?:${words})(?![\p{Script=Latin}\d])`, 'giu')
    : new RegExp(words, 'gu');
}

/** Without plain words at either end; undefined when nothing or only a type word is left. */
function trimPlain(phrase: string): string | undefined {
  let words = phrase.replace(/['’]s$/u, '').split(/\s+/u);
  const plain = (word: string | undefined): boolean =>
    word !== undefined && (word === '&' || PLAIN_WORDS.has(word.toLowerCase().replace(/['’]s$/u, '')));
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
