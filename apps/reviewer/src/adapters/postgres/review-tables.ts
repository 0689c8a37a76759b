import type { HeldTables } from '@waymark/persistence/holder';

export const REVIEW_TABLES: HeldTables = {
  owned: 'review',
  record: 'review_record',
  body: 'review_body',
  snapshot: 'review_snapshot',
  inbox: 'review_inbox',
  owner: 'reviewer',
};

/** Key of a review's row: a review's id is only its run's affair. */
export const rowId = (run: string, review: string): string => `${run}/${review}`;
