import type { Verdict } from '@waymark/contracts/reviewer';

type Point = Verdict['points'][number];

export type ReadVerdict =
  | { readonly ok: true; readonly outcome: 'ok' | 'revise'; readonly points: readonly Point[] }
  | { readonly ok: false; readonly code: 'empty_answer' | 'answer_cut' | 'answer_filtered' | 'unreadable_verdict' };

const MAX_POINTS = 20;
const MAX_CHARACTERS = 1000;

/**
 * The answer must be one JSON object of the asked shape, alone or in one code fence; anything else is no verdict.
 * A block that the report does not have becomes null; what is too long is cut.
 */
export function readVerdict(text: string, finish: string | null, blocks: readonly string[]): ReadVerdict {
  if (finish === 'content_filter') return { ok: false, code: 'answer_filtered' };
  if (finish === 'length') return { ok: false, code: 'answer_cut' };
  if (text.trim() === '') return { ok: false, code: 'empty_answer' };
  const answer = parseObject(text);
  const verdict = answer?.['verdict'];
  const given = answer?.['points'] ?? [];
  if ((verdict !== 'ok' && verdict !== 'revise') || !Array.isArray(given)) return unreadable;
  const points: Point[] = [];
  for (const one of given.slice(0, MAX_POINTS) as unknown[]) {
    const point = readPoint(one, blocks);
    if (!point) return unreadable;
    points.push(point);
  }
  return { ok: true, outcome: verdict, points };
}

const unreadable: ReadVerdict = { ok: false, code: 'unreadable_verdict' };

function parseObject(text: string): Record<string, unknown> | null {
  const bare = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1] ?? text;
  try {
    const value: unknown = JSON.parse(bare);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function readPoint(value: unknown, blocks: readonly string[]): Point | null {
  if (!isObject(value)) return null;
  const { block, issue, suggestion = '' } = value;
  if (typeof issue !== 'string' || issue.trim() === '' || typeof suggestion !== 'string') return null;
  return {
    block: typeof block === 'string' && blocks.includes(block) ? block : null,
    issue: plain(issue),
    suggestion: plain(suggestion),
  };
}

/** Whole characters, at most {@link MAX_CHARACTERS}; without control characters, which some stores refuse (F-R7). */
function plain(text: string): string {
  const clean = text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ');
  return clean.length <= MAX_CHARACTERS ? clean : clean.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
