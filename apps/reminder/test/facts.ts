import type { BudgetSnapshot, CountState } from '@waymark/contracts/budget';
import type { BlockState, PublicationSnapshot } from '@waymark/contracts/publication';
import type { Watermark } from '@waymark/contracts/reminder';
import type { Facts } from '../src/core/facts.js';

export const RUN_ID = '0190a000-0000-7000-8000-000000000001';
const MINUTE = 60_000;

/** A count with this request among the reserved ones. */
export function counted(limit: number, taken: number): CountState {
  const reserved = Math.min(1, taken);
  return { limit, used: taken - reserved, reserved, unknown: 0, left: Math.max(0, limit - taken) };
}

export function block(name: string, used: number, limit = 2): BlockState {
  return {
    block: name,
    title: `About ${name}`,
    version: 1 + used,
    bytes: 900,
    citations: 1,
    failedCitations: 0,
    revisions: { limit, used, left: Math.max(0, limit - used) },
  };
}

export interface Situation {
  language?: 'en' | 'zh';
  phase?: 'exploring' | 'finishing';
  purpose?: Facts['purpose'];
  policyVersion?: number;
  room?: number;
  percent?: number[];
  explore?: CountState;
  finish?: CountState;
  physical?: CountState;
  activeMs?: number;
  wallMs?: number;
  contentBytes?: number;
  blocks?: BlockState[];
  runRevisions?: { limit: number; used: number };
  unconfirmed?: string[];
  review?: Partial<Facts['review']>;
  partlyRead?: Facts['partlyRead'];
  watermarks?: Watermark[];
}

/** The standard policy's numbers, near no limit, with what a test changes. */
export function facts(s: Situation = {}): Facts {
  const phase = s.phase ?? 'exploring';
  const blocks = s.blocks ?? [];
  const revisions = s.runRevisions ?? { limit: 8, used: 0 };
  const policyVersion = s.policyVersion ?? 1;
  const budget: BudgetSnapshot = {
    run: RUN_ID,
    version: 7,
    policyVersion,
    phase,
    explore: s.explore ?? counted(40, 1),
    finish: s.finish ?? counted(2, phase === 'finishing' ? 1 : 0),
    physical: s.physical ?? counted(86, 1),
    finishReserve: 6,
    purposes: { explore: 1, finish: 0, summarize: 0, review: 0 },
    active: {
      limitMs: 60 * MINUTE,
      usedMs: s.activeMs ?? 1000,
      leftMs: Math.max(0, 60 * MINUTE - (s.activeMs ?? 1000)),
      unknownMs: 0,
      overshootMs: 0,
      running: true,
    },
    wall: {
      limitMs: 120 * MINUTE,
      usedMs: s.wallMs ?? 2000,
      leftMs: Math.max(0, 120 * MINUTE - (s.wallMs ?? 2000)),
    },
    user: null,
    outputMs: 6 * MINUTE,
    usage: { inputTokens: null, outputTokens: null, cachedInputTokens: null, costMicros: null },
  };
  const publication: PublicationSnapshot = {
    run: RUN_ID,
    version: 3,
    closed: false,
    epoch: 1,
    revisions: { ...revisions, left: Math.max(0, revisions.limit - revisions.used) },
    blocks,
  };
  return {
    run: RUN_ID,
    language: s.language ?? 'en',
    policyVersion,
    phase,
    purpose: s.purpose ?? (phase === 'exploring' ? 'explore' : 'finish'),
    noticeRoomBytes: s.room ?? 2048,
    stages: { percent: s.percent ?? [50, 75, 90], marginPercent: 5 },
    budget,
    context: { contentBytes: s.contentBytes ?? 20_000, hardLimitBytes: 409_600 },
    publication,
    unconfirmed: s.unconfirmed ?? [],
    review: {
      enabled: true,
      everyExploreRequests: 15,
      everyMs: 10 * MINUTE,
      sinceExploreRequests: 1,
      sinceMs: 1000,
      running: false,
      ...s.review,
    },
    partlyRead: s.partlyRead ?? [],
    watermarks: s.watermarks ?? [],
  };
}

export function given(type: Watermark['type'], stage: number, more: Partial<Watermark> = {}): Watermark {
  return { type, kind: 'advice', subject: 'run', policyVersion: 1, stage, delivery: 'submitted', ...more };
}
