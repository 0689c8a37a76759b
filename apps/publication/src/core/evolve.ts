import { failedOf, type Fact } from './fact.js';
import type { BlockEntry, ReportState } from './report-state.js';

/** The report after one more fact. `ReportOpened` opens only what was not there. */
export function evolve(state: ReportState, fact: Fact): ReportState {
  switch (fact.type) {
    case 'BlockPublished':
      return { ...state, version: state.version + 1, blocks: [...state.blocks, entryOf(fact)] };
    case 'BlockCorrected':
      return {
        ...state,
        version: state.version + 1,
        blocks: state.blocks.map((entry) => (entry.block === fact.block ? entryOf(fact) : entry)),
      };
    case 'ReportClosed':
      return { ...state, version: state.version + 1, closed: true };
    case 'ReportOpened':
    case 'ProgressNoted':
    case 'ReportShown':
      return state;
    default:
      return fact satisfies never;
  }
}

function entryOf(fact: Extract<Fact, { type: 'BlockPublished' | 'BlockCorrected' }>): BlockEntry {
  const { block, title, version, bytes, citations } = fact;
  return { block, title, version, bytes, citations: citations.length, failedCitations: failedOf(citations) };
}
