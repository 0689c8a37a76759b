import { causeIn } from './causes.js';
import { byteOffsets } from './extract/byte-offsets.js';
import { surroundingsOf, type Context } from './extract/figure.js';
import { cutIntoPieces } from './extract/layout.js';
import { findNames, nameKey } from './extract/names.js';
import { sentencesOf, type Sentence } from './extract/prose.js';
import { meaningWords } from './meaning-words.js';
import type { NoteRecord } from './notes/notes-line.js';
import { openParts } from './question-parts.js';
import { quoteOf } from './quote.js';

const MOST = 6;

/**
 * Sentences of a part that was read that give a cause for what the question asks the cause of. Search need not show them: it
 * finds the words of the question, and a reason may stand where none of its names does. Whom a sentence is on stands above it.
 */
export function noteReasons(
  part: string,
  start: number,
  document: number,
  question: string,
  before: Context,
): NoteRecord[] {
  const wanted = openParts(question)
    .filter(({ cause }) => cause)
    .map(({ text }) => wantedOf(text, before.known));
  if (wanted.length === 0) return [];
  const bytes = byteOffsets(part);
  const at = (index: number): string => String(start + (bytes[Math.min(index, part.length)] ?? 0));
  const out: NoteRecord[] = [];
  const headings: string[] = [surroundingsOf(before).entity ?? ''];
  for (const piece of cutIntoPieces(part)) {
    if (piece.kind === 'heading') headings.splice(piece.level, headings.length, piece.text);
    if (piece.kind !== 'prose') continue;
    let about = headings.filter((heading) => heading !== '' && named(heading, before.known).length > 0).at(-1) ?? '';
    sentencesOf(piece.text, piece.start).forEach((sentence, i, all) => {
      const own = named(sentence.text, before.known);
      const ofWhom = own.length > 0 ? own : named(about, before.known);
      about = own.at(-1) ?? about;
      if (causeIn(sentence.text) === 0 || out.length >= MOST) return;
      for (const { words, names } of wanted) {
        if (names.length > 0 && ofWhom.length > 0 && !ofWhom.some((name) => names.includes(nameKey(name)))) continue;
        const run = runOf(all, i, words);
        if (run === undefined) continue;
        const text = part.slice(run.from, run.to);
        out.push(['z', String(document), at(run.from), at(run.to), about === '' ? text : `# ${about}\n\n${text}`]);
        return;
      }
    });
  }
  return out;
}

function wantedOf(text: string, known: readonly string[]): { words: string[]; names: string[] } {
  const names = named(text, known);
  const words = meaningWords(names.reduce((rest, name) => rest.replaceAll(name, ' '), text));
  return { words, names: names.map(nameKey) };
}

/** The sentence, or with it the one before that says what it is the cause of. */
function runOf(all: readonly Sentence[], i: number, words: string[]): { from: number; to: number } | undefined {
  for (const run of [all.slice(i, i + 1), all.slice(Math.max(0, i - 1), i + 1)]) {
    const [first, last] = [run[0], run.at(-1)];
    if (!first || !last) continue;
    const said = new Set(meaningWords(run.map(({ text }) => text).join(' ')));
    if (words.filter((word) => said.has(word)).length * 2 < words.length) continue;
    const quote = quoteOf(run.map(({ text }) => text).join(' '), { words, cause: true });
    if (quote !== undefined) return { from: first.start, to: last.start + last.text.length };
  }
  return undefined;
}

const named = (text: string, known: readonly string[]): string[] =>
  findNames(text, known)
    .filter((name) => name.rank >= 2)
    .map((name) => name.name);
