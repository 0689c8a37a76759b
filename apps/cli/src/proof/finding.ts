import type { Finding } from '@waymark/record';

/** What is wrong, where, by name. Beside the record's own checks: the log's lines and the export's lines. */
export interface ProofFinding {
  readonly check: Finding['check'] | 'log' | 'export';
  readonly where: string;
  readonly what: string;
}
