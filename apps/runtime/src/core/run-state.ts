/**
 * The state that a run's owner carries: the fold of its record (C15).
 *
 * 1. Plain JSON: a snapshot is its canonical bytes, and two folds are equal when those bytes are.
 * 2. It names the record's head (`seq`, `head`); at any other head it is refused.
 * 3. Its size is bounded by what stands in the request, by the number of sources and by reminder keys; only
 *    `settledAt` grows, by one number a turn.
 */
import type { Watermark } from '@waymark/contracts/reminder';
import type { RunOutcome } from '@waymark/contracts/runtime';
import {
  newTranscript,
  type RequestIntended,
  type RequestSettled,
  type RunAdmitted,
  type TextRef,
  type Transcript,
} from '@waymark/record';

/** Grows when the fold changes, so that an older snapshot is not read. */
export const REDUCER_VERSION = 2;

export interface SourceReading {
  readonly name: string;
  readonly total: number;
  /** Merged, ascending `[start, end)` that the model has had (C5). */
  had: [number, number][];
}

export interface SettledRequest {
  readonly request: number;
  readonly reservation: string;
  readonly outcome: RequestSettled['outcome'];
  readonly content: boolean;
  readonly code: string | null;
  readonly usage: RequestSettled['usage'];
}

export interface RunState {
  run: string;
  seq: number;
  /** Hex of the record's head. */
  head: string;
  admitted: RunAdmitted | null;
  phase: 'exploring' | 'finishing' | 'ending' | 'ended';
  /** Why exploring ended; null while it goes on. */
  phaseCode: string | null;
  phaseReason: string | null;
  /** Turns that completed. */
  turn: number;
  /** Requests intended. */
  requests: number;
  /** Attempts that the turn now under way has used. */
  attempt: number;
  /** An intent without an outcome. */
  open: RequestIntended | null;
  /** Main requests intended by purpose, for review points and wording. */
  exploreIntended: number;
  /** The last few outcomes, so that a settlement that was lost can be made again from the record. */
  recent: SettledRequest[];
  /** Empty or cut-off answers in a row. */
  emptyInRow: number;
  parksInRow: number;
  parked: { readonly round: number; readonly code: string } | null;
  /** Hard limit in force in bytes (C16, C18). */
  hard: number;
  /** Times that it was lowered since the last request that completed. */
  hardLowered: number;
  transcript: Transcript;
  reading: Record<string, SourceReading>;
  watermarks: Watermark[];
  summaries: number;
  /** The last interval that was tried without success, so that it is not tried again on the same basis (C10). */
  abandoned: { readonly from: number; readonly to: number; readonly basis: string } | null;
  review: {
    dispatched: number;
    candidates: number;
    running: { readonly review: string; readonly deadlineMs: number } | null;
    /** Explore requests and active ms when a review was last raised or dispatched. */
    atExplore: number;
    atActiveMs: number;
  };
  /** Writes that were sent and not confirmed (P9), oldest first. */
  unconfirmed: { readonly action: string; readonly block: string }[];
  /** Writes that publication did not take in time or, asked again, refused; a later write of the block makes up for it. */
  lostWrites: { readonly action: string; readonly block: string }[];
  blocksWritten: number;
  /** What the model said when it closed the report by itself. */
  closing: { readonly text: TextRef | null; readonly how: 'finish' | 'text' } | null;
  inbox: number;
  /** Limits that were heard of from budget's timers. */
  limits: Record<string, 'neared' | 'reached'>;
  /** By turn (index): sequence of the fact that settled its request, to find old receipts by. */
  settledAt: number[];
  ending: {
    readonly outcome: RunOutcome;
    readonly code: string;
    readonly reason: string;
    readonly closing: TextRef | null;
    readonly gaps: readonly string[];
    /** Those of `gaps` that were about writes: what becomes of a write may still change while the run ends (P9). */
    readonly writeGaps: readonly string[];
    steps: string[];
  } | null;
}

export function newRunState(run: string, genesis: string): RunState {
  return {
    run,
    seq: 0,
    head: genesis,
    admitted: null,
    phase: 'exploring',
    phaseCode: null,
    phaseReason: null,
    turn: 0,
    requests: 0,
    attempt: 0,
    open: null,
    exploreIntended: 0,
    recent: [],
    emptyInRow: 0,
    parksInRow: 0,
    parked: null,
    hard: 0,
    hardLowered: 0,
    transcript: newTranscript(),
    reading: {},
    watermarks: [],
    summaries: 0,
    abandoned: null,
    review: { dispatched: 0, candidates: 0, running: null, atExplore: 0, atActiveMs: 0 },
    unconfirmed: [],
    lostWrites: [],
    blocksWritten: 0,
    closing: null,
    inbox: 0,
    limits: {},
    settledAt: [],
    ending: null,
  };
}
