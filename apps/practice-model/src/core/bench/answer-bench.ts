import { ask, say, type Answer, type Purpose, type ToolCall } from '../protocol/answer.js';
import type { RawBody } from '../protocol/raw-body.js';
import { filler } from './filler.js';

/**
 * The bench workload: request 0 lists the sources; requests 1 … T read two ranges of 4 KiB each, new ones every turn;
 * request T+1 answers with 2 KiB. T stands in the question as `turns=<T>`.
 *
 * Its whole state is one line that each answer begins with, so that a body of any size is answered from its end:
 * `Bench turn <t>/<T> [<locator>=<bytes> <locator>=<bytes>] `. A summary carries the line on.
 */
const MARK = 'Bench turn ';
const RANGE = 4096;
const TEXT = 300;
const FINAL = 2048;
const SUMMARY = 600;

interface Reading {
  locator: string;
  /** Bytes of its text; 0 while no result has said it. */
  total: number;
}

export function answerBench(body: RawBody, purpose: Purpose | undefined): Answer {
  if (purpose === 'review') return say(JSON.stringify({ verdict: 'ok', points: [] }));
  const at = body.lastIndexOf(MARK);
  const state = at < 0 ? undefined : parseState(body.slice(at, at + 400));
  if (purpose === 'summarize')
    return say(fill(`${stateLine(state ?? start(body))}Summary of the bench turns so far. `, SUMMARY));
  if (purpose === 'finish') return say(final(state?.turn ?? 0));
  if (!state) {
    const first = start(body);
    return ask(fill(stateLine(first), TEXT), [{ id: 'call_0_0', name: 'list_sources', arguments: '{}' }]);
  }

  const readings = state.readings.length > 0 ? state.readings : listed(body.slice(at));
  const turn = state.turn + 1;
  if (turn > state.turns || readings.length === 0) return say(final(state.turn));
  const known = readings.map((r) => (r.total > 0 ? r : { ...r, total: totalIn(body.slice(at), r.locator) }));
  const calls = [0, 1].map((k) => readCall(turn, k, known));
  return ask(fill(stateLine({ turn, turns: state.turns, readings: known }), TEXT), calls);
}

interface BenchState {
  turn: number;
  turns: number;
  readings: Reading[];
}

function start(body: RawBody): BenchState {
  const turns = /turns=(\d{1,6})/.exec(body.slice(Math.max(0, body.indexOf('turns=')), body.indexOf('turns=') + 16));
  return { turn: 0, turns: turns ? Number(turns[1]) : 50, readings: [] };
}

function parseState(line: string): BenchState | undefined {
  const found = /^Bench turn (\d+)\/(\d+) \[([^\]]*)\]/.exec(line);
  if (!found) return undefined;
  const readings = (found[3] ?? '').split(' ').flatMap((pair): Reading[] => {
    const cut = pair.lastIndexOf('=');
    return cut > 0 ? [{ locator: pair.slice(0, cut), total: Number(pair.slice(cut + 1)) }] : [];
  });
  return { turn: Number(found[1]), turns: Number(found[2]), readings };
}

const stateLine = (s: BenchState): string =>
  `${MARK}${s.turn}/${s.turns} [${s.readings.map((r) => `${r.locator}=${r.total}`).join(' ')}] `;

/** The two largest readable documents of the listing that stands in `tail`, inside a JSON string (quotes escaped). */
function listed(tail: string): Reading[] {
  const found: { locator: string; bytes: number }[] = [];
  for (const part of tail.split('\\"locator\\":').slice(1)) {
    const locator = /^\s*\\"(doc:[^"\\]+)\\"/.exec(part)?.[1];
    if (locator === undefined || part.includes('\\"unreadable\\"')) continue;
    found.push({ locator, bytes: Number(/\\"bytes\\":\s*(\d+)/.exec(part)?.[1] ?? 0) });
  }
  return found
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 2)
    .map(({ locator }) => ({ locator, total: 0 }));
}

/** The total that the header of a read_range result states for `locator`; 0 if none does. */
function totalIn(tail: string, locator: string): number {
  for (let at = tail.indexOf(locator); at >= 0; at = tail.indexOf(locator, at + 1)) {
    const header = tail.slice(at, at + 400).split('}', 1)[0] ?? '';
    const total = /\\"total\\":\s*(\d+)/.exec(header);
    if (total) return Number(total[1]);
  }
  return 0;
}

/** A range that no earlier turn had: the two calls take turns through one document, or walk one document each. */
function readCall(turn: number, k: number, readings: Reading[]): ToolCall {
  const reading = readings[k % readings.length];
  if (!reading) throw new Error('readCall needs a reading');
  const nth = readings.length === 1 ? (turn - 1) * 2 + k : turn - 1;
  const span = Math.max(1, reading.total - RANGE);
  // Past the end it starts again, a kibibyte further in, so that the ranges stay different.
  const raw = nth * RANGE;
  const start = reading.total === 0 ? raw : (raw + Math.floor(raw / span) * 1024) % span;
  const args = { locator: reading.locator, start, end: start + RANGE };
  return { id: `call_${turn}_${k}`, name: 'read_range', arguments: JSON.stringify(args) };
}

const final = (turns: number): string => fill(`Bench finished after ${turns} turns. `, FINAL);

const fill = (head: string, size: number): string => head + filler(size - head.length);
