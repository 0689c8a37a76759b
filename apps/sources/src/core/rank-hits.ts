import { excerptOf } from './excerpt.js';
import { scorePassages } from './rank-passages.js';
import { decodeText } from './text-bytes.js';

/** A passage as the index found it. */
export interface Found {
  readonly locator: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly label: string;
  readonly body: Uint8Array;
  readonly coverage: number;
  readonly terms: readonly string[];
}

export type Hit = Pick<Found, 'locator' | 'name' | 'start' | 'end' | 'label'> & { score: number; excerpt: string };

/** The best `limit` hits, best first; of equal ones the earlier found. */
export function rankHits(query: string, found: readonly Found[], limit: number): Hit[] {
  const candidates = found.map(({ body, coverage }) => ({ text: decodeText(body), coverage }));
  const scores = scorePassages(query, candidates);
  return found
    .map((passage, i) => ({ passage, score: Math.round((scores[i] ?? 0) * 1000) / 1000 }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ passage: { locator, name, start, end, label, body, terms }, score }) => ({
      ...{ locator, name, start, end, label, score },
      excerpt: excerptOf(body, terms),
    }));
}
