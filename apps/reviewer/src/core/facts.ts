/**
 * The facts of one review's record (L3). They are never edited; within format 1 only optional fields are added.
 * Texts stand as bodies by digest, so a fact is small.
 */
import type { BodyRef } from '@waymark/contracts';
import type { SettlementOutcome, Usage } from '@waymark/contracts/budget';
import type { Verdict } from '@waymark/contracts/reviewer';

/** Version of the record's bytes; stands in the first fact. */
export const RECORD_FORMAT = 1;

export interface ReviewStarted {
  readonly type: 'ReviewStarted';
  readonly format: number;
  readonly review: string;
  readonly run: string;
  /** The order as it came, JSON. */
  readonly order: BodyRef;
}

/** Durable before the first byte leaves (L4). */
export interface ReviewRequested {
  readonly type: 'ReviewRequested';
  /** Counts the review's physical requests from 1. */
  readonly request: number;
  readonly key: string;
  readonly reservation: string;
  readonly model: string;
  /** The API that the bytes are made for; `openai` where it is left out. */
  readonly api?: 'openai' | 'anthropic';
  /** The bytes as sent, a body of the record. */
  readonly body: BodyRef;
  readonly hardLimitBytes: number;
  /** Version of the report that it shows, with how many blocks, and how much of their texts. */
  readonly report: {
    readonly version: number;
    readonly blocks: number;
    readonly textBytes: number;
    readonly shownBytes: number;
  };
  readonly deadlines: {
    readonly firstContentMs: number;
    readonly progressMs: number;
    readonly totalMs: number;
    readonly leftMs: number;
    readonly bound: string;
  };
}

/** How a request ended (B3); `answer` is the text that came, if any. */
export interface ReviewAnswered {
  readonly type: 'ReviewAnswered';
  readonly request: number;
  readonly outcome: SettlementOutcome;
  readonly content: boolean;
  readonly code: string | null;
  readonly status: number | null;
  readonly usage: Usage | null;
  readonly answer: BodyRef | null;
}

/** The end of a review for everybody else. What is still to be settled is settled after it. */
export interface VerdictGiven {
  readonly type: 'VerdictGiven';
  readonly verdict: Verdict;
}

/** Nothing is left to do. `settled`: budget has heard how every request ended. */
export interface ReviewClosed {
  readonly type: 'ReviewClosed';
  readonly settled: boolean;
}

export type ReviewFact = ReviewStarted | ReviewRequested | ReviewAnswered | VerdictGiven | ReviewClosed;
