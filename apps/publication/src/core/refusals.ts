/** The words of every refusal: what is so, in numbers, and what is still possible (R6: a local limit ends nothing else). */
import { MAX_BLOCK_BYTES, MAX_BLOCKS, type WriteRefusal } from '@waymark/contracts/publication';
import type { ErrorBody } from '@waymark/contracts/wire';
import { revisionsUsed, runRevisionsUsed, type BlockEntry, type ReportState } from './report-state.js';

export const reportClosed = (): WriteRefusal => ({
  code: 'report_closed',
  message: 'the report is closed',
  remedy: 'read it; nothing can be added to it any more',
});

export const fenced = (state: ReportState, epoch: number): WriteRefusal => ({
  code: 'fenced',
  message: `epoch ${epoch} is past: epoch ${state.epoch} has acted on this report`,
  remedy: 'stop: another owner carries the run on',
});

export const blockExists = (entry: BlockEntry): WriteRefusal => ({
  code: 'block_exists',
  message: `block "${entry.block}" is already published at version ${entry.version}`,
  remedy: `expect version ${entry.version} to correct it, or name a new block`,
});

export const unknownBlock = (block: string): WriteRefusal => ({
  code: 'unknown_block',
  message: `there is no block "${block}" in this report`,
  remedy: 'expect version 0 to publish it',
});

export const versionMismatch = (entry: BlockEntry, expected: number): WriteRefusal => ({
  code: 'version_mismatch',
  message: `block "${entry.block}" is at version ${entry.version}, not ${expected}; no revision was used`,
  remedy: `look at version ${entry.version} and expect it`,
});

export const tooManyBlocks = (): WriteRefusal => ({
  code: 'too_many_blocks',
  message: `the report has its ${MAX_BLOCKS} blocks`,
  remedy: 'correct a published block or finish',
});

export const blockRevisionsExhausted = (state: ReportState, entry: BlockEntry): WriteRefusal => ({
  code: 'block_revisions_exhausted',
  message: `block "${entry.block}" has used ${revisionsUsed(entry)} of its ${state.quotas.perBlock} revisions; version ${entry.version} stays published`,
  remedy: 'other blocks can still be corrected, new blocks added, and the report finished',
});

export const runRevisionsExhausted = (state: ReportState): WriteRefusal => ({
  code: 'run_revisions_exhausted',
  message: `the report has used ${runRevisionsUsed(state)} of its ${state.quotas.perRun} revisions; all blocks stay published`,
  remedy: 'new blocks can still be added and the report finished',
});

/** A text over the limit is a bad request, not a decision: null when it fits. */
export const refuseLargeBlock = (bytes: number): ErrorBody | null =>
  bytes <= MAX_BLOCK_BYTES
    ? null
    : {
        code: 'block_too_large',
        message: `the text has ${bytes} bytes of UTF-8; a block holds ${MAX_BLOCK_BYTES}`,
        remedy: 'shorten it or spread it over several blocks',
        field: 'text',
      };
