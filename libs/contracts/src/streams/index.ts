/**
 * Names on JetStream: facts are published for everybody, work is handed to one. Each stream and bucket has one owner: the
 * service whose user may create or change it (decision 17). Nobody may purge or delete a stream of facts or of work.
 */
export const STREAMS_OWNER = 'runtime';
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
  /** Something for a run's inbox, by who sends it: {@link inboxDelivery} in contracts/runtime. */
  inbox: { limit: 'waymark.work.v1.inbox.budget', verdict: 'waymark.work.v1.inbox.reviewer' },
  /** A review to be done: {@link reviewOrder} in contracts/reviewer. */
  review: 'waymark.work.v1.review',
} as const;

/** Durable pull consumers on the work stream: one per kind, shared by all replicas. */
export const WORK_CONSUMERS = {
  run: { durable: 'runtime-run', subject: WORK.run },
  inbox: { durable: 'runtime-inbox', subject: 'waymark.work.v1.inbox.*' },
  review: { durable: 'reviewer-review', subject: WORK.review },
} as const;

/** Durable pull consumers on the stream of facts: the reminder service's projections. */
export const FACT_CONSUMERS = {
  intended: { durable: 'reminder-intended', subject: 'waymark.facts.v1.runtime.*.RequestIntended' },
  settled: { durable: 'reminder-settled', subject: 'waymark.facts.v1.runtime.*.RequestSettled' },
} as const;

/** Buckets of the object store for bodies that do not ride on messages; what they hold is on its way and goes by itself. */
export const BUCKETS = {
  /** Documents for `add-document`: any caller puts, sources takes in and deletes. */
  uploads: { name: 'waymark-uploads', owner: 'sources', ttlMs: 24 * 3600 * 1000 },
  /** Reports over 256 KiB: publication puts, whoever asked for the report reads. */
  reports: { name: 'waymark-reports', owner: 'publication', ttlMs: 24 * 3600 * 1000 },
} as const;
export type Bucket = (typeof BUCKETS)[keyof typeof BUCKETS];

export const factSubject = (owner: string, run: string, name: string): string =>
  `waymark.facts.v1.${owner}.${run}.${name}`;
/** Whether a fact says of itself what its subject says: only its owner's user may publish there, so the subject is believed. */
export const isFactOf = (subject: string, { owner, run }: { readonly owner: string; readonly run: string }): boolean =>
  subject.startsWith(factSubject(owner, run, ''));
export const factType = (owner: string, name: string): string => `waymark.${owner}.fact.v1.${name}`;
