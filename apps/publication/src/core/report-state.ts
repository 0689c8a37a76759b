/**
 * A report as the deciding rules see it: numbers and names, no texts.
 *
 * 1. `version` grows with every change that a reader can see: a block published or corrected, the close.
 * 2. Revisions are derived, never counted a second time: a block at version v has used v − 1 of them (P3).
 * 3. `epoch` is the highest one seen; it never falls (P5).
 */
export interface BlockEntry {
  readonly block: string;
  readonly title: string;
  readonly version: number;
  /** UTF-8 bytes of the current text. */
  readonly bytes: number;
  readonly citations: number;
  readonly failedCitations: number;
}

export interface Quotas {
  readonly perBlock: number;
  readonly perRun: number;
}

export interface ReportState {
  readonly run: string;
  readonly version: number;
  readonly epoch: number;
  readonly closed: boolean;
  readonly quotas: Quotas;
  /** In the order in which they were first published. */
  readonly blocks: readonly BlockEntry[];
}

/** What one key had carried out before; null when it is new. */
export interface KeyedEntry {
  /** The block and version that it made; null for a progress note. */
  readonly made: { readonly block: string; readonly version: number } | null;
}

export const findBlock = (state: ReportState, block: string): BlockEntry | undefined =>
  state.blocks.find((entry) => entry.block === block);

export const revisionsUsed = (entry: BlockEntry): number => entry.version - 1;

export const runRevisionsUsed = (state: ReportState): number =>
  state.blocks.reduce((sum, entry) => sum + revisionsUsed(entry), 0);
