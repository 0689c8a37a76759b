import { failedOf, type Fact } from './fact.js';
import { utf8Bytes } from './utf8-bytes.js';

/** What the outside sees of a fact: names and sizes; texts of blocks, question and closing are read from the report. */
export function eventData(fact: Fact): Record<string, unknown> {
  switch (fact.type) {
    case 'ReportOpened': {
      const { question, language, quotas, policyVersion, epoch } = fact;
      return { questionBytes: utf8Bytes(question), language, revisions: quotas, policyVersion, epoch };
    }
    case 'BlockPublished':
    case 'BlockCorrected': {
      const { block, version, title, bytes, citations, reason } = fact;
      return {
        block,
        version,
        title,
        bytes,
        citations: citations.length,
        failedCitations: failedOf(citations),
        reason,
      };
    }
    case 'ProgressNoted':
      return { text: fact.text };
    case 'ReportClosed': {
      const { outcome, code, reason, closing, gaps } = fact;
      return { outcome, code, reason, closingBytes: closing === null ? null : utf8Bytes(closing), gaps: gaps.length };
    }
    case 'ReportShown':
      return { viewer: fact.viewer, version: fact.version };
    default:
      return fact satisfies never;
  }
}
