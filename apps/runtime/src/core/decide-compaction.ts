/** Whether a summary is tried, of which turns, and whether it is adopted (C7, C8, C10). */
import type { Policy } from '@waymark/contracts/policy';
import { turnBytes, type SizeOf, type TurnEntry } from './content.js';
import type { RunState } from './run-state.js';

export interface Interval {
  readonly from: number;
  readonly to: number;
  /** Bytes that its turns take in the request now. */
  readonly bytes: number;
  /** Cap per original result in the summarizing request, in bytes. */
  readonly resultCap: number;
  readonly basis: string;
}

/** Turns at the end that stay as they are: the work under way. */
const RECENT_TURNS = 4;
/** Bytes around a summary's text: its message, heading and the list of results. */
const WRAPPER_BYTES = 200;
/** Share of the hard limit that a summarizing request may take. */
const INPUT_SHARE = 0.8;

export const minimumGain = (policy: Policy, content: number): number =>
  Math.max(policy.context.minGainBytes, Math.floor((content * policy.context.minGainPercent) / 100));

/**
 * The interval to try, or null. It is contiguous, oldest first, of settled turns that no summary covers; bodies still
 * resident are taken in only when `pressing` (the request does not fit otherwise). It is tried when even the smallest
 * legal summary could reach the minimum gain, and not again on the basis on which it failed.
 */
export function decideCompaction(s: RunState, content: number, sizeOf: SizeOf, pressing: boolean): Interval | null {
  const policy = s.admitted?.policy;
  if (!policy || s.phase !== 'exploring') return null;
  const soft = Math.floor((s.hard * policy.context.softPercent) / 100);
  if (!pressing && content <= soft) return null;
  const gain = minimumGain(policy, content);
  const turns = candidateTurns(s, pressing);
  let bytes = 0;
  const taken: TurnEntry[] = [];
  const room = Math.floor(s.hard * INPUT_SHARE);
  let smallest = 0;
  for (const turn of turns) {
    const least = answerBytes(turn);
    if (smallest + least > room) break;
    smallest += least;
    bytes += turnBytes(turn, sizeOf);
    taken.push(turn);
  }
  const first = taken[0];
  const last = taken.at(-1);
  if (!first || !last) return null;
  const idBytes = taken.reduce((sum, t) => sum + t.results.reduce((n, r) => n + r.action.length + 1, 0), 0);
  if (bytes - policy.context.smallestSummaryBytes - WRAPPER_BYTES - idBytes < gain) return null;
  // Before everything gives way to the floor an interval that failed gets one more try: pressing is another basis.
  const basis = pressing ? `${s.hard} pressing` : `${s.hard}`;
  const failed = s.abandoned;
  if (failed && failed.from === first.turn && failed.basis === basis) {
    const added = turns.filter((t) => t.turn > failed.to).reduce((sum, t) => sum + turnBytes(t, sizeOf), 0);
    if (last.turn <= failed.to || added < gain) return null;
  }
  return { from: first.turn, to: last.turn, bytes, resultCap: capFor(taken, room - smallest), basis };
}

/** The longest run of turns from the first that no summary covers; it ends before the recent ones. */
function candidateTurns(s: RunState, pressing: boolean): TurnEntry[] {
  const out: TurnEntry[] = [];
  const limit = s.turn - (pressing ? 1 : RECENT_TURNS);
  for (const entry of s.transcript.entries) {
    if (entry.kind === 'summary') {
      if (out.length > 0) break;
      continue;
    }
    if (entry.kind !== 'turn') continue;
    if (entry.turn > limit) break;
    if (!pressing && entry.results.some((r) => r.form.form !== 'stub' && r.settled.result.bytes > 1024)) break;
    if (entry.results.some((r) => r.form.form !== 'stub' && r.seen === 0)) break;
    out.push(entry);
  }
  return out;
}

const answerBytes = (turn: TurnEntry): number => (turn.answer?.bytes ?? 0) * 1.2 + 120 + turn.results.length * 200;

/** Largest cap a result such that all of the interval's originals fit `room` bytes. */
function capFor(turns: readonly TurnEntry[], room: number): number {
  const sizes = turns.flatMap((t) => t.results.map((r) => r.settled.result.bytes * 1.15)).sort((a, b) => a - b);
  let left = Math.max(0, room);
  for (const [index, size] of sizes.entries()) {
    const share = left / (sizes.length - index);
    if (size > share) return Math.floor(share / 1.15);
    left -= size;
  }
  return Math.max(...sizes.map((x) => Math.ceil(x)), 0);
}

/**
 * Adopted only if it ended by itself with text of the smallest legal size, its interval is unchanged, and the complete
 * request that uses it is smaller by the minimum gain and fits the hard limit. A missed soft target discards nothing.
 */
export function judgeSummary(input: {
  readonly finish: string | null;
  readonly textBytes: number;
  readonly before: number;
  readonly after: number;
  readonly limit: number;
  readonly policy: Policy;
}): { readonly adopt: true } | { readonly adopt: false; readonly code: string } {
  const { policy } = input;
  if (input.finish !== 'stop')
    return { adopt: false, code: input.finish === 'length' ? 'summary_truncated' : 'summary_unfinished' };
  if (input.textBytes === 0) return { adopt: false, code: 'summary_empty' };
  if (input.textBytes < policy.context.smallestSummaryBytes) return { adopt: false, code: 'summary_too_small' };
  if (input.before - input.after < minimumGain(policy, input.before)) return { adopt: false, code: 'gain_too_small' };
  if (input.after > input.limit) return { adopt: false, code: 'does_not_fit' };
  return { adopt: true };
}
