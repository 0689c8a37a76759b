import {
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { setTimeout as pause } from 'node:timers/promises';
import { FACTS_STREAM, STREAMS_OWNER, WORK_STREAM } from '@waymark/contracts/streams';
import { isOutage } from './is-outage.js';

const STREAM_NOT_FOUND = 10059;
/** No request can empty them, whoever it seems to come from: the broker itself sends its replies wherever it is asked to. */
const KEPT = { deny_purge: true, deny_delete: true } as const;
const STREAMS = [FACTS_STREAM, WORK_STREAM] as const;
const KEEP_MS = 5_000;

export interface KeepOptions {
  readonly everyMs?: number;
  /** Told the names of what was lost and has been made again. */
  readonly onMade: (names: readonly string[]) => void;
  readonly onError: (error: unknown) => void;
}
type Wanted = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects'>;

/** For everybody but their owner: rejects, saying who makes them, while a stream of facts or of work is not there. */
export async function findStreams(nc: NatsConnection): Promise<void> {
  const jsm = await jetstreamManager(nc);
  for (const { name } of STREAMS)
    if ((await find(jsm, name)) === undefined) throw new Error(`no stream ${name} yet: ${STREAMS_OWNER} makes it`);
}

/** For their owner: creates the streams of facts and of work, or brings them to today's settings; any number of processes at once. */
export async function ensureStreams(nc: NatsConnection): Promise<void> {
  const jsm = await jetstreamManager(nc);
  await ensure(jsm, {
    name: FACTS_STREAM.name,
    subjects: [...FACTS_STREAM.subjects],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    max_age: FACTS_STREAM.maxAgeNs,
    ...KEPT,
    duplicate_window: FACTS_STREAM.duplicateWindowNs,
  });
  await ensure(jsm, {
    name: WORK_STREAM.name,
    subjects: [...WORK_STREAM.subjects],
    storage: StorageType.File,
    retention: RetentionPolicy.Workqueue,
    ...KEPT,
    duplicate_window: WORK_STREAM.duplicateWindowNs,
  });
}

/**
 * For their owner: looks after the streams until it is told to stop. A broker that lost its data comes back without them, and
 * everybody's facts and work would wait for the owner's next start. What they held then is lost to followers, not to the
 * owners' tables.
 */
export function keepStreams(nc: NatsConnection, { everyMs = KEEP_MS, onMade, onError }: KeepOptions): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async (): Promise<void> => {
    const jsm = await jetstreamManager(nc, { checkAPI: false });
    while (!signal.aborted && !nc.isClosed()) {
      await pause(everyMs, undefined, { signal }).catch(() => undefined);
      try {
        const found = await Promise.all(STREAMS.map(async ({ name }) => await find(jsm, name)));
        const lost = STREAMS.filter((_, i) => found[i] === undefined).map(({ name }) => name);
        if (signal.aborted || lost.length === 0) continue;
        await ensureStreams(nc);
        onMade(lost);
      } catch (error) {
        if (!signal.aborted && !isOutage(error)) onError(error); // an outage passes, and is said elsewhere
      }
    }
  };
  void loop();
  return () => stopping.abort(); // not waited for: a question to a broker that is away takes its time
}

async function ensure(jsm: JetStreamManager, wanted: Wanted): Promise<void> {
  const found = await find(jsm, wanted.name);
  if (found === undefined)
    await jsm.streams.add(wanted); // the same again by another process is no error
  else if (differs(found, wanted)) await jsm.streams.update(wanted.name, wanted);
}

async function find(jsm: JetStreamManager, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await jsm.streams.info(name)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return undefined;
    throw error;
  }
}

function differs(found: StreamConfig, wanted: Wanted): boolean {
  const keys = Object.keys(wanted) as (keyof Wanted)[];
  return keys.some((key) => JSON.stringify(found[key]) !== JSON.stringify(wanted[key]));
}
