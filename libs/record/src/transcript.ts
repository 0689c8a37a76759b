/**
 * What stands in a main request, in order, as the facts make it (C1). Every request's list of parts is a function of the
 * record before its intent, so nothing of the list is stored twice and an intent does not grow with the run.
 *
 * 1. Calls and results stay together: a turn's results follow its answer, in the order of its calls (C7, C14).
 * 2. A turn enters when its request completed and all its actions are settled.
 * 3. A part's bytes never change under one id; what changes (a body retires) gets another id.
 * 4. `evolveTranscript` changes the transcript it is given and nothing else; its work does not grow with the history
 *    except where a summary or the floor replaces entries (C15).
 */
import type { ActionSettled, RecordFact, TextRef } from './facts.js';

export type ResultForm =
  | { readonly form: 'full' }
  | { readonly form: 'head'; readonly bytes: number }
  | { readonly form: 'stub'; readonly had: readonly (readonly [number, number])[] };

export interface ResultEntry {
  readonly action: string;
  readonly tool: string;
  readonly settled: ActionSettled;
  form: ResultForm;
  /** Requests completed with this body resident since it settled; 0: the model has not had it (C3). */
  seen: number;
}

export type Entry =
  | {
      readonly kind: 'turn';
      readonly turn: number;
      readonly answer: TextRef | null;
      readonly empty: boolean;
      readonly results: ResultEntry[];
    }
  | {
      readonly kind: 'summary';
      readonly summary: number;
      readonly from: number;
      readonly to: number;
      readonly text: TextRef;
      readonly actions: string;
    }
  | { readonly kind: 'advice'; readonly review: string; readonly text: TextRef }
  | { readonly kind: 'map'; readonly text: TextRef };

export interface OpenTurn {
  readonly turn: number;
  readonly answer: TextRef | null;
  readonly empty: boolean;
  readonly actions: readonly {
    readonly action: string;
    readonly tool: string;
    readonly kind: 'read' | 'keyed' | 'effect';
  }[];
  /** By action id. */
  readonly settled: Record<string, ActionSettled>;
}

export interface Transcript {
  question: TextRef | null;
  entries: Entry[];
  /** The turn whose actions are not all settled yet. */
  openTurn: OpenTurn | null;
  /** The open main request: turn by request number, until it settles. */
  intended: { readonly request: number; readonly turn: number; readonly main: boolean } | null;
}

export function newTranscript(): Transcript {
  return { question: null, entries: [], openTurn: null, intended: null };
}

const NOTHING: readonly ResultEntry[] = [];

/** Returns the results that the model has had for the first time with this fact (C5). */
export function evolveTranscript(t: Transcript, fact: RecordFact): readonly ResultEntry[] {
  switch (fact.type) {
    case 'RunAdmitted':
      t.question = fact.question;
      return NOTHING;
    case 'RequestIntended':
      t.intended = { request: fact.request, turn: fact.turn, main: fact.purpose !== 'summarize' };
      return NOTHING;
    case 'RequestSettled': {
      const intended = t.intended;
      t.intended = null;
      if (!intended?.main || fact.outcome !== 'completed') return NOTHING;
      const had: ResultEntry[] = [];
      for (const entry of t.entries) {
        if (entry.kind !== 'turn') continue;
        for (const result of entry.results) {
          if (result.form.form === 'stub') continue;
          result.seen += 1;
          if (result.seen === 1) had.push(result);
        }
      }
      t.openTurn = {
        turn: intended.turn,
        answer: fact.answer,
        empty: fact.empty,
        actions: fact.actions,
        settled: {},
      };
      closeTurnWhenSettled(t);
      return had;
    }
    case 'ActionSettled':
      if (t.openTurn) t.openTurn.settled[fact.action] = fact;
      closeTurnWhenSettled(t);
      return NOTHING;
    case 'ResultsRetired':
      for (const item of fact.items) setForm(t, item.action, { form: 'stub', had: item.had });
      return NOTHING;
    case 'ResultPaged':
      setForm(t, fact.action, { form: 'head', bytes: fact.headBytes });
      return NOTHING;
    case 'SummaryAdopted':
      replaceInterval(t, fact);
      return NOTHING;
    case 'VerdictHeard':
      if (fact.advice) t.entries.push({ kind: 'advice', review: fact.review, text: fact.advice });
      return NOTHING;
    case 'FloorBuilt':
      t.entries = [{ kind: 'map', text: fact.map }];
      return NOTHING;
    case 'SummaryAbandoned':
    case 'HardLimitLowered':
    case 'PhaseChanged':
    case 'LimitHeard':
    case 'ReviewRaised':
    case 'ReviewDeclined':
    case 'ReviewDispatched':
    case 'ReviewOverdue':
    case 'RunParked':
    case 'RunWoken':
    case 'RunEnding':
    case 'EndingStepDone':
    case 'RunEnded':
    case 'WriteConfirmed':
      return NOTHING;
    default:
      fact satisfies never;
      return NOTHING;
  }
}

function closeTurnWhenSettled(t: Transcript): void {
  const open = t.openTurn;
  if (!open || Object.keys(open.settled).length < open.actions.length) return;
  const results: ResultEntry[] = [];
  for (const { action, tool } of open.actions) {
    const settled = open.settled[action];
    if (!settled) return;
    results.push({ action, tool, settled, form: { form: 'full' }, seen: 0 });
  }
  t.entries.push({ kind: 'turn', turn: open.turn, answer: open.answer, empty: open.empty, results });
  t.openTurn = null;
}

function setForm(t: Transcript, action: string, form: ResultForm): void {
  const result = findResult(t, action);
  if (result) result.form = form;
}

/** Entries stand in the order of turns: the turn of an action is found by halving. */
export function findResult(t: Transcript, action: string): ResultEntry | undefined {
  const turn = Number(action.slice(0, action.indexOf('.')));
  let low = 0;
  let high = t.entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = lastTurnUpTo(t.entries, middle);
    if (at < turn) low = middle + 1;
    else high = middle;
  }
  const entry = t.entries[low];
  return entry?.kind === 'turn' ? entry.results.find((r) => r.action === action) : undefined;
}

/** The last turn that stands at or before `index`: advice and maps carry no turn of their own. */
function lastTurnUpTo(entries: readonly Entry[], index: number): number {
  for (let i = index; i >= 0; i -= 1) {
    const entry = entries[i];
    if (entry?.kind === 'turn') return entry.turn;
    if (entry?.kind === 'summary') return entry.to;
  }
  return 0;
}

/** Action ids survive a compaction byte for byte: they stand in the summary's part (C12). */
function replaceInterval(
  t: Transcript,
  fact: { readonly summary: number; readonly from: number; readonly to: number; readonly text: TextRef },
): void {
  const first = t.entries.findIndex((e) => e.kind === 'turn' && e.turn >= fact.from);
  if (first < 0) return;
  let last = first;
  const ids: string[] = [];
  const kept: Entry[] = [];
  for (let i = first; i < t.entries.length; i += 1) {
    const entry = t.entries[i];
    if (!entry || (entry.kind === 'turn' && entry.turn > fact.to)) break;
    if (entry.kind === 'turn') {
      for (const r of entry.results) ids.push(r.action);
      last = i;
    }
  }
  for (let i = first; i <= last; i += 1) {
    const entry = t.entries[i];
    if (entry && entry.kind !== 'turn') kept.push(entry);
  }
  t.entries.splice(
    first,
    last - first + 1,
    { kind: 'summary', summary: fact.summary, from: fact.from, to: fact.to, text: fact.text, actions: ids.join(' ') },
    ...kept,
  );
}

/** A part of a request, under an id that names its bytes for good. */
export type Part =
  | { readonly id: string; readonly kind: 'question'; readonly text: TextRef }
  | { readonly id: string; readonly kind: 'answer'; readonly turn: number; readonly text: TextRef }
  /** `after` an answer that stands in the request, where the model's own words came without calls. */
  | { readonly id: string; readonly kind: 'empty'; readonly turn: number; readonly after?: 'answer' }
  | {
      readonly id: string;
      readonly kind: 'result';
      readonly turn: number;
      readonly index: number;
      readonly answer: TextRef;
      readonly entry: ResultEntry;
    }
  | {
      readonly id: string;
      readonly kind: 'summary';
      readonly from: number;
      readonly to: number;
      readonly text: TextRef;
      readonly actions: string;
    }
  | { readonly id: string; readonly kind: 'advice'; readonly review: string; readonly text: TextRef }
  | { readonly id: string; readonly kind: 'map'; readonly text: TextRef };

/** The parts of the next main request in order, notices excluded. Linear in what stands in the request. */
export function partsOf(t: Transcript): Part[] {
  const parts: Part[] = [];
  if (t.question) parts.push({ id: 'q', kind: 'question', text: t.question });
  for (const entry of t.entries) {
    switch (entry.kind) {
      case 'turn':
        if (entry.answer && !entry.empty) {
          parts.push({ id: `a${entry.turn}`, kind: 'answer', turn: entry.turn, text: entry.answer });
          for (const [index, result] of entry.results.entries()) {
            parts.push({
              id: resultPartId(result),
              kind: 'result',
              turn: entry.turn,
              index,
              answer: entry.answer,
              entry: result,
            });
          }
          // Cut off before its calls: a request does not end with the model's own words (C14).
          if (entry.results.length === 0) {
            parts.push({ id: `e${entry.turn}`, kind: 'empty', turn: entry.turn, after: 'answer' });
          }
        } else parts.push({ id: `e${entry.turn}`, kind: 'empty', turn: entry.turn });
        break;
      case 'summary':
        parts.push({ id: `s${entry.summary}`, ...pick(entry) });
        break;
      case 'advice':
        parts.push({ id: `v${entry.review}`, kind: 'advice', review: entry.review, text: entry.text });
        break;
      case 'map':
        parts.push({ id: `m${entry.text.digest}`, kind: 'map', text: entry.text });
        break;
      default:
        entry satisfies never;
    }
  }
  return parts;
}

function pick(entry: Extract<Entry, { kind: 'summary' }>) {
  return { kind: 'summary', from: entry.from, to: entry.to, text: entry.text, actions: entry.actions } as const;
}

export function resultPartId(result: ResultEntry): string {
  switch (result.form.form) {
    case 'full':
      return `r${result.action}f`;
    case 'head':
      return `r${result.action}h${result.form.bytes}`;
    case 'stub':
      return `r${result.action}s`;
  }
}
