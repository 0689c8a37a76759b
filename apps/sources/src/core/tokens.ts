/**
 * Text as search sees it; index and query use the same function, or nothing would be found.
 *
 * 1. A number is one token with its fraction; commas between groups of three are dropped: `1,234.50` → `1234.50`.
 * 2. A word is letters, marks and digits; case, width and accents are folded: `Ｃａｆé` → `cafe`.
 * 3. Scripts that are written without spaces (Han, kana, Hangul, Thai) form runs; see {@link runTerms}.
 */
export interface Token {
  readonly kind: 'number' | 'word' | 'run';
  /** Folded text. */
  readonly text: string;
  /** Place in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}ー`;
/** Groups: 1 run, 2 number, 3 word. Built at run time, because the compiler's target knows no set difference in classes. */
const SCAN = new RegExp(
  String.raw`([${UNSPACED}]+)|(\p{Nd}+(?:[.,．，]\p{Nd}+)*)|([[\p{L}\p{M}\p{N}]--[${UNSPACED}]]+)`,
  'gv',
);
/** A longer token (a key, encoded data) is cut: nobody asks for its tail, and PostgreSQL refuses lexemes over 2 KiB. */
const MAX_TOKEN = 64;

export function scanTokens(text: string): Token[] {
  // Folded at once where that keeps every place; else token by token, which takes several times as long.
  const simple = SIMPLE.test(text);
  const source = simple ? text.toLowerCase() : text;
  const tokens: Token[] = [];
  for (const match of source.matchAll(SCAN)) {
    const start = match.index;
    const end = start + match[0].length;
    const folded = simple ? match[0] : fold(match[0]);
    if (folded === '') continue;
    if (match[1] !== undefined) tokens.push({ kind: 'run', text: folded, start, end });
    else if (match[2] === undefined) tokens.push({ kind: 'word', text: cut(folded), start, end });
    else for (const number of numbers(folded)) tokens.push({ kind: 'number', text: number, start, end });
  }
  return tokens;
}

/**
 * Terms of a run: each two neighbouring characters, and when indexing also each single one, so that a two-character word in
 * mid-sentence is found without knowing where words end.
 */
export function runTerms(run: string): { singles: string[]; pairs: string[] } {
  const singles = Array.from(run);
  return { singles, pairs: singles.slice(1).map((second, i) => `${singles[i]}${second}`) };
}

/** All terms under which a text is found, each once. */
export function indexTerms(text: string): string[] {
  const terms = new Set<string>();
  for (const token of scanTokens(text)) {
    if (token.kind === 'run') {
      const { singles, pairs } = runTerms(token.text);
      for (const term of [...singles, ...pairs]) terms.add(term);
    } else terms.add(token.text);
  }
  return [...terms];
}

/** All terms that a query asks for, each once. Of a run its pairs; a single character stands for itself. */
export function queryTerms(query: string): string[] {
  const terms = new Set<string>();
  for (const token of scanTokens(query)) {
    if (token.kind !== 'run') terms.add(token.text);
    else {
      const { singles, pairs } = runTerms(token.text);
      for (const term of pairs.length > 0 ? pairs : singles) terms.add(term);
    }
  }
  return [...terms];
}

/** ASCII, signs, western quotes and dashes, and the common part of CJK: lower case is all that folding does to them. */
const SIMPLE =
  /^[\0-\x7f\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u2010-\u2027\u20ac\u3000-\u312f\u3400-\u9fff\uff01-\uff0f\uff1a-\uff20]*$/;

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '') // lower case of İ brings one back
    .replace(/[^\p{L}\p{M}\p{N}.,]/gu, ''); // ㈀ unfolds to a letter in brackets
}

/** `1,234,567.8` is one number; `1,5` and `3,4,5` are several, because a comma alone says nothing. */
function numbers(text: string): string[] {
  if (/^\d+$/.test(text)) return [cut(text)];
  const plain = text.replaceAll('．', '.').replaceAll('，', ',');
  const parts = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? [plain.replaceAll(',', '')] : plain.split(',');
  return parts.map(cut);
}

function cut(token: string): string {
  return token.length <= MAX_TOKEN ? token : Array.from(token).slice(0, MAX_TOKEN).join('');
}
