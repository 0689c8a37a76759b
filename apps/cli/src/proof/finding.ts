import type { Finding } from '@waymark/record';

/** What is wrong, where, by name. Beside the record's own checks: the log's lines, the export's lines, the reviews. */
export interface ProofFinding {
  readonly check: Finding['check'] | 'log' | 'export' | 'review';
  readonly where: string;
  readonly what: string;
}
