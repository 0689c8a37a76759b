/**
 * The facts of a run's execution record (L3). They are never edited; within format 1 only optional fields are added.
 *
 * 1. Large texts stand as body references; the chain holds their digests, so a body can be erased without breaking it.
 * 2. A fact is small and its size does not depend on the run's length.
 * 3. Milliseconds are durations; clock times stand beside the row, never in it.
 */
import type { BodyRef, Language } from '@waymark/contracts';
import type { Usage } from '@waymark/contracts/budget';
import type { Policy } from '@waymark/contracts/policy';
import type { RunOutcome } from '@waymark/contracts/runtime';

/** Version of the record's bytes; stands in the first fact. */
export const RECORD_FORMAT = 1;

export type MainPurpose = 'explore' | 'finish';
export type RequestPurpose = MainPurpose | 'summarize';
export type ActionKind = 'read' | 'keyed' | 'effect';

/** A text body; `escaped` when it was not well-formed Unicode and is stored as a JSON string literal. */
export interface TextRef extends BodyRef {
  readonly escaped?: true;
}

export interface Frame {
  readonly instructions: TextRef;
  /** JSON array of tools as sent, or null when none are offered. */
  readonly tools: TextRef | null;
}

export interface RunAdmitted {
  readonly type: 'RunAdmitted';
  readonly format: number;
  /** Version of the renderer that turns parts into request bytes; a run keeps it (E3). */
  readonly renderer: number;
  readonly question: TextRef;
  readonly language: Language;
  readonly corpus: string;
  readonly policy: Policy;
  /** `dialect`: the API that its requests are made for; they go nowhere else. */
  readonly model: {
    readonly name: string;
    readonly dialect: 'openai' | 'anthropic';
    readonly outputCap: number | null;
  };
  readonly frames: Readonly<Record<RequestPurpose, Frame>>;
}

export interface NoticeLine {
  readonly type: string;
  readonly kind: 'state' | 'advice';
  readonly subject: string;
  readonly stage: number;
  readonly policyVersion: number;
  readonly value?: number;
  readonly limit?: number;
}

/** What was to be told in one request, and what became of it before sending (R7, R11, R17). */
export interface NoticesRecord {
  /** `reminder`: composed; `plain`: R19's fallback; `quiet`: skipped as nothing could come; `none`: not a main request. */
  readonly source: 'reminder' | 'plain' | 'quiet' | 'none';
  /** Stood in the bytes, in order; `text` holds one line for each. */
  readonly included: readonly NoticeLine[];
  readonly omitted: readonly NoticeLine[];
  readonly combined: readonly {
    readonly type: string;
    readonly subject: string;
    readonly stage: number;
    readonly by: string;
  }[];
  readonly rearmed: readonly { readonly type: string; readonly kind: 'state' | 'advice'; readonly subject: string }[];
  readonly text: string | null;
}

/** Bytes by part, in the order of {@link PART_KINDS}. */
export type PartSizes = readonly number[];
export const PART_KINDS = [
  'frame',
  'instructions',
  'tools',
  'question',
  'summaries',
  'turns',
  'results',
  'stubs',
  'advice',
  'notices',
] as const;
export type PartKind = (typeof PART_KINDS)[number];

/** Durable before the first byte leaves (L4). The list of parts is what the facts before it make; only the tail is here. */
export interface RequestIntended {
  readonly type: 'RequestIntended';
  readonly request: number;
  readonly turn: number;
  readonly attempt: number;
  readonly purpose: RequestPurpose;
  readonly reservation: string;
  readonly key: string;
  readonly grant: { readonly version: number; readonly leftMs: number; readonly bound: string };
  readonly deadlines: { readonly firstContentMs: number; readonly progressMs: number; readonly totalMs: number };
  readonly digest: string;
  readonly bytes: number;
  readonly parts: PartSizes;
  /** Content as measured, notices excluded, against the hard limit in force (R9, C16). */
  readonly content: number;
  readonly hard: number;
  readonly notices: NoticesRecord;
  /** For `summarize`: the interval of turns and the cap per result in bytes. */
  readonly interval?: { readonly from: number; readonly to: number; readonly resultCap: number };
  /** Inbox sequence up to which this request has taken in. */
  readonly inbox: number;
}

/** How a request ended (B3, R8). `answer` is the assistant's message as a body. */
export interface RequestSettled {
  readonly type: 'RequestSettled';
  readonly request: number;
  readonly outcome: 'completed' | 'failed' | 'unknown' | 'not_sent';
  readonly content: boolean;
  readonly code: string | null;
  readonly status: number | null;
  readonly delivery: 'submitted' | 'rejected' | 'uncertain';
  readonly answer: TextRef | null;
  /** Neither text nor calls. */
  readonly empty: boolean;
  readonly finish: string | null;
  readonly usage: Usage | null;
  readonly actions: readonly { readonly action: string; readonly tool: string; readonly kind: ActionKind }[];
  readonly ms: { readonly firstContent: number | null; readonly total: number };
}

export interface ReadRange {
  readonly locator: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly total: number;
}

/** A receipt: the settled result of one action, stored before the model sees it (C2, L5). */
export interface ActionSettled {
  readonly type: 'ActionSettled';
  readonly action: string;
  readonly outcome: 'ok' | 'failed' | 'refused' | 'unknown' | 'unconfirmed';
  readonly code: string | null;
  readonly result: TextRef;
  readonly title: string;
  readonly range?: ReadRange;
  /** Set by what a tool does to the run: a review asked for, a finish asked for, a block written. */
  readonly effect?: { readonly kind: 'review' | 'finish' | 'block' | 'progress'; readonly detail?: string };
}

export type RecordFact =
  | RunAdmitted
  | RequestIntended
  | RequestSettled
  | ActionSettled
  /** Bodies that left the request; a stub stands for each (C3, C4). `had`: byte ranges of the body that the model has had. */
  | {
      readonly type: 'ResultsRetired';
      readonly reason: 'residency' | 'fit';
      readonly items: readonly { readonly action: string; readonly had: readonly (readonly [number, number])[] }[];
    }
  /** A result not seen yet that was too large: only its head stands in the request (C17). */
  | { readonly type: 'ResultPaged'; readonly action: string; readonly headBytes: number }
  | {
      readonly type: 'SummaryAdopted';
      readonly summary: number;
      readonly from: number;
      readonly to: number;
      readonly request: number;
      readonly text: TextRef;
      readonly bytesBefore: number;
      readonly bytesAfter: number;
    }
  | {
      readonly type: 'SummaryAbandoned';
      readonly from: number;
      readonly to: number;
      readonly basis: string;
      readonly request: number | null;
      readonly code: string;
    }
  /** The ladder's last rung: everything but instructions and question gave way to the map of the report (C17). */
  | { readonly type: 'FloorBuilt'; readonly map: TextRef }
  /** A provider's "too long" was believed (C18). */
  | { readonly type: 'HardLimitLowered'; readonly from: number; readonly to: number; readonly request: number }
  | { readonly type: 'PhaseChanged'; readonly phase: 'finishing'; readonly code: string; readonly reason: string }
  | {
      readonly type: 'LimitHeard';
      readonly inbox: number;
      readonly limit: string;
      readonly stage: 'neared' | 'reached';
    }
  | {
      readonly type: 'VerdictHeard';
      readonly inbox: number;
      readonly review: string;
      readonly outcome: 'ok' | 'revise' | 'failed';
      readonly code: string | null;
      /** Advice as it will stand in the next natural request; null when there is none to give (V2). */
      readonly advice: TextRef | null;
    }
  | {
      readonly type: 'ReviewRaised';
      /** Active time when it was raised, ms. */
      readonly activeMs?: number;
      readonly candidate: number;
      readonly reason: string;
      readonly value: number;
      readonly limit: number;
    }
  | { readonly type: 'ReviewDeclined'; readonly candidate: number | null; readonly code: string }
  | {
      readonly type: 'ReviewDispatched';
      readonly review: string;
      readonly candidate: number | null;
      readonly deadlineMs: number;
      readonly activeMs: number;
    }
  | { readonly type: 'ReviewOverdue'; readonly review: string }
  | {
      readonly type: 'RunParked';
      readonly round: number;
      readonly forMs: number;
      readonly code: string;
      readonly counted: boolean;
    }
  /** A write that was sent and not confirmed has been asked again by its key (P9). */
  | { readonly type: 'WriteConfirmed'; readonly action: string; readonly outcome: 'written' | 'refused' }
  | { readonly type: 'RunWoken' }
  | {
      readonly type: 'RunEnding';
      readonly outcome: RunOutcome;
      readonly code: string;
      readonly reason: string;
      readonly closing: TextRef | null;
      readonly gaps: readonly string[];
    }
  | {
      readonly type: 'EndingStepDone';
      readonly step: 'budget_closed' | 'settled' | 'reviews_stopped' | 'report_closed';
    }
  | { readonly type: 'RunEnded'; readonly outcome: RunOutcome; readonly code: string };

export type RecordFactType = RecordFact['type'];
/** Any owner's fact that a record can hold: it has a type and is canonical JSON. */
export interface AnyFact {
  readonly type: string;
}
