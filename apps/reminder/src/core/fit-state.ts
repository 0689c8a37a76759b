import { noticeLineBytes, type Candidate } from '@waymark/contracts/reminder';
import { candidateOf } from './candidate.js';
import type { Facts } from './facts.js';
import type { Looked } from './look.js';

interface Line {
  readonly candidate: Candidate;
  readonly bytes: number;
}

/**
 * State lines (R4).
 *
 * 1. One line a type whose condition holds, whatever was said before (R5): the tightest subject, the rest counted in it.
 * 2. Together at most the notice room, each counted in bytes as sent, with its line end (C13).
 * 3. In a room that is too small lines take their short form, the last in presentation order first; only when all are short
 *    and still too long do lines go, again the last first.
 */
export function fitState(facts: Facts, looked: readonly Looked[]): Candidate[] {
  const standing = looked.filter(({ rule, seen }) => rule.state !== null && seen.some(({ stage }) => stage > 0));
  const lines = standing.map((entry) => lineOf(facts, entry, 'full'));
  let total = lines.reduce((sum, { bytes }) => sum + bytes, 0);
  for (let i = lines.length - 1; i >= 0 && total > facts.noticeRoomBytes; i -= 1) {
    const short = lineOf(facts, standing[i], 'short');
    total += short.bytes - lines[i].bytes;
    lines[i] = short;
  }
  while (total > facts.noticeRoomBytes) total -= lines.pop()?.bytes ?? total;
  return lines.map(({ candidate }) => candidate);
}

function lineOf(facts: Facts, { rule, seen }: Looked, form: 'full' | 'short'): Line {
  const holding = seen.filter(({ stage }) => stage > 0);
  const [tightest] = holding;
  const said = { stage: tightest.stage, rest: holding.length - 1, from: facts.stages.percent[0] };
  const text = rule.state?.[form][facts.language](tightest.m, said) ?? '';
  return { candidate: candidateOf(facts, rule.type, 'state', tightest, text), bytes: noticeLineBytes(text) };
}
