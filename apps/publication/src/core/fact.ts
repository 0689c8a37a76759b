import type { Citation } from '@waymark/contracts/publication';
import type { Language } from '@waymark/contracts/wire';
import type { Quotas } from './report-state.js';

export type Outcome = 'completed' | 'partial' | 'cancelled' | 'failed';

export interface WrittenBlock {
  readonly key: string;
  readonly block: string;
  readonly version: number;
  readonly title: string;
  readonly text: string;
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  readonly citations: readonly Citation[];
  readonly reason: string | null;
}

/** What publication records. Past tense, never edited. */
export type Fact =
  | {
      readonly type: 'ReportOpened';
      readonly question: string;
      readonly language: Language;
      readonly quotas: Quotas;
      readonly policyVersion: number;
      readonly epoch: number;
    }
  | ({ readonly type: 'BlockPublished' } & WrittenBlock)
  | ({ readonly type: 'BlockCorrected' } & WrittenBlock)
  | { readonly type: 'ProgressNoted'; readonly key: string; readonly text: string }
  | {
      readonly type: 'ReportClosed';
      readonly outcome: Outcome;
      readonly code: string;
      readonly reason: string;
      readonly closing: string | null;
      readonly gaps: readonly string[];
    }
  | { readonly type: 'ReportShown'; readonly viewer: string; readonly version: number };

export const failedOf = (citations: readonly Citation[]): number =>
  citations.filter(({ status }) => status === 'failed').length;
