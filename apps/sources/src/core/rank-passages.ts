/**
 * Orders the passages that the index brought (all share a term with the query).
 *
 * 1. A passage that holds the query word for word, or a part of it that was put in quotes, stands before all that do not.
 * 2. Among others the coverage decides: the weight of the query's terms that it holds; a rare term weighs more. A long
 *    question so finds passages that hold only some of it.
 * 3. Neighbours in the query that are neighbours in the passage, and how often its words come, break near ties.
 */
import { scanTokens, type Token } from './tokens.js';

export interface Candidate {
  readonly text: string;
  /** Share of the query's weight that this passage holds, 0…1. */
  readonly coverage: number;
}

/** @returns scores in the order of `candidates`; larger is better, 0…3. */
export function scorePassages(query: string, candidates: readonly Candidate[]): number[] {
  const asked = unitsOf(query);
  const phrases = phrasesOf(query, asked);
  const neighbours = asked.slice(1).map((unit, i) => join([asked[i] ?? '', unit]));
  const words = new Set(asked);
  return candidates.map(({ text, coverage }) => {
    const units = unitsOf(text);
    const line = join(units);
    const phrase = phrases.some((part) => line.includes(part)) ? 1.5 : 0;
    const near =
      neighbours.length === 0 ? 0 : neighbours.filter((pair) => line.includes(pair)).length / neighbours.length;
    let times = 0;
    for (const unit of units) if (words.has(unit)) times += 1;
    return phrase + coverage + 0.3 * near + 0.1 * (times / (times + 4));
  });
}

/** Words, numbers and single characters of runs, in order. */
function unitsOf(text: string): string[] {
  const units: string[] = [];
  for (const { kind, text: token } of scanTokens(text)) {
    if (kind === 'run') units.push(...token);
    else units.push(token);
  }
  return units;
}

/** Quoted parts, or the whole query; a single unit is no phrase. */
function phrasesOf(query: string, whole: readonly string[]): string[] {
  const quoted = [...query.matchAll(/["“「]([^"”」]+)["”」]/gu)].map((match) => unitsOf(match[1] ?? ''));
  const parts = quoted.length > 0 ? quoted : [whole];
  return parts.filter((units) => units.length > 1).map(join);
}

const join = (units: readonly string[]): string => `\u0001${units.join('\u0001')}\u0001`;

/** Whether a token of a passage stands for one of the matched terms; a stem matches the words that begin like it. */
export function matchesTerm(token: Token, terms: ReadonlySet<string>): boolean {
  if (terms.has(token.text)) return true;
  if (token.kind !== 'word') return false;
  for (const term of terms) if (term.length >= 4 && token.text.startsWith(term.slice(0, -1))) return true;
  return false;
}
