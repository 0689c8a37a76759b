/** Names on JetStream: facts are published for everybody, work is handed to one. */
export const FACTS_STREAM = {
  name: 'WAYMARK_FACTS',
  subjects: ['waymark.facts.v1.>'],
  /** Nanoseconds; older events are paged from their owner's table. */
  maxAgeNs: 7 * 24 * 3600 * 1e9,
  /** Nanoseconds in which a repeated message id is dropped. Lasting deduplication is the consumer's table. */
  duplicateWindowNs: 120e9,
} as const;

export const WORK_STREAM = { name: 'WAYMARK_WORK', subjects: ['waymark.work.v1.>'], duplicateWindowNs: 120e9 } as const;

export const WORK = {
  /** "look at run X": {run}. The database decides who may act. */
  run: 'waymark.work.v1.run',
  /** Something for a run's inbox: {@link inboxDelivery} in contracts/runtime. */
  inbox: 'waymark.work.v1.inbox',
  /** A review to be done: {@link reviewOrder} in contracts/reviewer. */
  review: 'waymark.work.v1.review',
} as const;

/** Durable pull consumers on the work stream: one per kind, shared by all replicas. */
export const WORK_CONSUMERS = {
  run: { durable: 'runtime-run', subject: WORK.run },
  inbox: { durable: 'runtime-inbox', subject: WORK.inbox },
  review: { durable: 'reviewer-review', subject: WORK.review },
} as const;

/** Bucket of the object store for bodies that do not ride on messages. */
export const OBJECT_BUCKET = 'waymark-objects';

export const factSubject = (owner: string, run: string, name: string): string =>
  `waymark.facts.v1.${owner}.${run}.${name}`;
export const factType = (owner: string, name: string): string => `waymark.${owner}.fact.v1.${name}`;
