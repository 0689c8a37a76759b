/**
 * Tables of something that has one owner at a time: a run, or a review (L2, L3, decision 8).
 *
 * 1. The owned row holds state, lease, epoch and the record's head. No index touches what an append changes, so appends
 *    stay heap-only updates.
 * 2. The record is append-only under (id, seq); bodies stand once under (id, digest).
 * 3. The inbox has a sequence per owner row; `key` makes a delivery once.
 */
export interface HeldTables {
  /** Owned rows, e.g. `run`. */
  readonly owned: string;
  readonly record: string;
  readonly body: string;
  readonly snapshot: string;
  readonly inbox: string;
  /** Owner's name in events: `runtime`, `reviewer`. */
  readonly owner: string;
}

const NAME = /^[a-z_]+$/;

/** SQL that makes the tables; `extra` adds the service's own columns to the owned row. */
export function heldTablesDdl(t: HeldTables, idType: 'uuid' | 'text', extra: string): string {
  for (const name of [t.owned, t.record, t.body, t.snapshot, t.inbox])
    if (!NAME.test(name)) throw new Error(`bad table name ${name}`);
  return `
CREATE TABLE ${t.owned} (
  id ${idType} PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('queued','running','parked','ending','ended')),
  owner text,
  epoch integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  heartbeat_at timestamptz,
  claims integer NOT NULL DEFAULT 0,
  seq integer NOT NULL DEFAULT 0,
  head bytea,
  inbox_seq integer NOT NULL DEFAULT 0,
  cancelled_at timestamptz,
  wake_at timestamptz,
  appended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  view jsonb NOT NULL DEFAULT '{}'${extra === '' ? '' : `,\n  ${extra}`}
) WITH (fillfactor = 50);
CREATE INDEX ${t.owned}_unended ON ${t.owned} (id) WHERE state <> 'ended';
CREATE TABLE ${t.record} (
  id ${idType} NOT NULL, seq integer NOT NULL, epoch integer NOT NULL, kind text NOT NULL,
  body bytea NOT NULL, hash bytea NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id, seq)
);
CREATE TABLE ${t.body} (
  id ${idType} NOT NULL, digest bytea NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (id, digest)
);
CREATE TABLE ${t.snapshot} (
  id ${idType} PRIMARY KEY, seq integer NOT NULL, head bytea NOT NULL, version integer NOT NULL, body bytea NOT NULL
);
CREATE TABLE ${t.inbox} (
  id ${idType} NOT NULL, seq integer NOT NULL, key text NOT NULL, kind text NOT NULL, body jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (id, seq), UNIQUE (id, key)
);`;
}
