import type { PublicationSnapshot } from '@waymark/contracts/publication';
import { revisionsUsed, runRevisionsUsed, type ReportState } from './report-state.js';

/** The map of the report: titles, versions, sizes and what is left to revise; no texts. */
export function snapshotOf(state: ReportState): PublicationSnapshot {
  return {
    run: state.run,
    version: state.version,
    closed: state.closed,
    epoch: state.epoch,
    revisions: revisions(state.quotas.perRun, runRevisionsUsed(state)),
    blocks: state.blocks.map((entry) => ({
      block: entry.block,
      title: entry.title,
      version: entry.version,
      bytes: entry.bytes,
      citations: entry.citations,
      failedCitations: entry.failedCitations,
      revisions: revisions(state.quotas.perBlock, revisionsUsed(entry)),
    })),
  };
}

const revisions = (limit: number, used: number) => ({ limit, used, left: Math.max(0, limit - used) });
