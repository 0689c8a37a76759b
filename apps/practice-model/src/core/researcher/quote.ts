import { causeAt, causeIn } from './causes.js';
import { cutIntoPieces } from './extract/layout.js';
import { sentencesOf } from './extract/prose.js';
import { sharedWords } from './meaning-words.js';

/** What a quote is to be on. */
export interface Wanted {
  words: readonly string[];
  cause: boolean;
}

/** A quote is so long at most, and longer only by the marks of what was left out of a sentence. */
const LONGEST = 320;
const GAP = '…';

interface Part {
  text: string;
  /** Sentences of one paragraph stand side by side. */
  paragraph: number;
}

/**
 * The sentences of a passage that are closest to what is wanted, whole and without headings; what is cut inside a sentence is
 * marked with `…`. Undefined when a cause is wanted and none is given on any of the words.
 */
export function quoteOf(passage: string, wanted: Wanted): string | undefined {
  const parts = partsOf(passage);
  const best = bestOf(parts, wanted);
  if (best === undefined) return undefined;
  const chosen = parts[best]?.text ?? '';
  if (chosen.length > LONGEST) return shortened(chosen, wanted.cause ? causeAt(chosen) : 0);
  let [from, to] = [best, best + 1];
  const length = (a: number, b: number): number => parts.slice(a, b).reduce((n, { text }) => n + text.length + 1, 0);
  while (joins(parts[from - 1], parts[from]) && length(from - 1, to) <= LONGEST) from--;
  while (joins(parts[to], parts[to - 1]) && length(from, to + 1) <= LONGEST) to++;
  return parts
    .slice(from, to)
    .map(({ text }) => text)
    .join(/\p{Script=Han}[。！？；]$/u.test(chosen) ? '' : ' ');
}

/** Sentences, and lines that are labels with their values; the rows of a table, or titles, where there is nothing else. */
function partsOf(passage: string): Part[] {
  const opened = passage.startsWith(GAP);
  const open = passage.endsWith(GAP);
  const text = passage.slice(opened ? 1 : 0, open ? -1 : undefined);
  const pieces = cutIntoPieces(text);
  const parts = pieces.flatMap((piece, paragraph): Part[] => {
    if (piece.kind === 'pair') return [{ text: squeeze(text.slice(piece.start, piece.end)), paragraph }];
    if (piece.kind !== 'prose') return [];
    return sentencesOf(piece.text, 0).map((sentence) => ({ text: squeeze(sentence.text), paragraph }));
  });
  if (parts.length === 0) {
    const lines = text.split('\n').filter((line) => !/^[\s|:=*-]*$/u.test(line));
    const flat = squeeze(lines.map((line) => line.replace(/^\s*#+\s+/u, '')).join(' '));
    if (flat !== '') parts.push({ text: flat, paragraph: 0 });
  }
  // Where the passage itself was cut, so is the sentence that stands there.
  const [first, last] = [parts[0], parts.at(-1)];
  if (opened && first && pieces[0]?.kind !== 'heading') first.text = `${GAP}${first.text}`;
  if (open && last && !/[.!?。！？]$/u.test(last.text)) last.text = `${last.text}${GAP}`;
  return parts;
}

function bestOf(parts: readonly Part[], { words, cause }: Wanted): number | undefined {
  let best: { at: number; score: number } | undefined;
  parts.forEach(({ text, paragraph }, at) => {
    const shared = sharedWords(words, text);
    const strength = cause ? causeIn(text) : 0;
    const beside = parts.filter((p, i) => Math.abs(i - at) <= 1 && p.paragraph === paragraph);
    const near = sharedWords(words, beside.map((p) => p.text).join(' '));
    if (cause && !givesIt(strength, shared, near, words.length)) return;
    const score = strength * 100 + shared * 2 - (isTorn(text) ? 1 : 0);
    if (best === undefined || score > best.score) best = { at, score };
  });
  return best?.at;
}

/** A cause counts where the words stand in its sentence or beside it; what merely came before, only in the sentence. */
function givesIt(strength: 0 | 1 | 2, shared: number, near: number, of: number): boolean {
  if (of === 0) return strength === 2;
  return (strength === 2 && near > 0) || (strength === 1 && shared > 0 && shared * 2 >= of);
}

/** Whether a sentence can stand beside one that is quoted: it is whole, and no heading or table parts them. */
const joins = (part: Part | undefined, beside: Part | undefined): boolean =>
  part !== undefined && !isTorn(part.text) && Math.abs(part.paragraph - (beside?.paragraph ?? 0)) <= 1;

const isTorn = (text: string): boolean => text.startsWith(GAP) || text.endsWith(GAP);

/** A long sentence round a place in it, cut between words (or Han characters). */
function shortened(text: string, at: number): string {
  const end = Math.min(text.length, Math.max(LONGEST, at + LONGEST / 2));
  const start = Math.max(0, end - LONGEST);
  const from = start === 0 ? 0 : border(text, start, 1);
  const to = end === text.length ? end : border(text, end, -1);
  const open = from > 0 && !text.startsWith(GAP, from) ? GAP : '';
  const close = to < text.length && !text.endsWith(GAP, to) ? GAP : '';
  return `${open}${text.slice(from, to).trim()}${close}`;
}

function border(text: string, at: number, step: 1 | -1): number {
  for (let i = at; Math.abs(i - at) < 40 && i > 0 && i < text.length; i += step) {
    if (/\s/u.test(text[i] ?? '') || /\p{Script=Han}/u.test(text[i] ?? '')) return i;
  }
  return at;
}

const squeeze = (text: string): string => text.replace(/\s+/gu, ' ').trim();
