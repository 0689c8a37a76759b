import {
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { FACTS_STREAM, STREAMS_OWNER, WORK_STREAM } from '@waymark/contracts/streams';

const STREAM_NOT_FOUND = 10059;
/** No request can empty them, whoever it seems to come from: the broker itself sends its replies wherever it is asked to. */
const KEPT = { deny_purge: true, deny_delete: true } as const;
type Wanted = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects'>;

/** For everybody but their owner: rejects, saying who makes them, while a stream of facts or of work is not there. */
export async function findStreams(nc: NatsConnection): Promise<void> {
  const jsm = await jetstreamManager(nc);
  for (const { name } of [FACTS_STREAM, WORK_STREAM])
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
