import { sourcesContracts, type DocumentView } from '@waymark/contracts/sources';
import type { Contract, ErrorBody, ReplyOf, RequestOf } from '@waymark/contracts/wire';
import { BUCKETS } from '@waymark/contracts/streams';
import { Bus, ensureStreams, ObjectStore } from '@waymark/messaging';
import { migrate } from '@waymark/persistence';
import {
  createDatabase,
  sharedServers,
  startProcess,
  until,
  type Database,
  type ServiceProcess,
} from '@waymark/testing';
import { MIGRATIONS } from '../src/adapters/postgres/migrations/index.js';

/** The service as a process of its own, and a caller beside it. */
export interface SourcesService {
  readonly process: ServiceProcess;
  readonly database: Database;
  readonly bus: Bus;
  readonly objects: ObjectStore;
  /** The reply; throws what was refused. */
  ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>>;
  /** The refusal; throws when there is none. */
  refusal<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ErrorBody>;
  /** Uploads and adds a document. */
  add(corpus: string, name: string, body: Uint8Array | string): Promise<DocumentView>;
  /** Waits until nothing of a corpus is pending; its documents by name. */
  settled(corpus: string, timeoutMs?: number): Promise<Map<string, DocumentView>>;
  /** One more replica on the same database; stop it yourself. */
  replica(env?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
  stop(): Promise<void>;
}

let uploads = 0;

/** Needs the built service: `nx build sources` (as the target itest does). */
export async function startSources(env: Readonly<Record<string, string>> = {}): Promise<SourcesService> {
  const { nats, postgres } = await sharedServers();
  const database = await createDatabase(postgres, 'sources', {
    migrate: async (url) => void (await migrate({ url, name: 'test', migrations: MIGRATIONS })),
  });
  const replica: SourcesService['replica'] = async (more = {}) =>
    await startProcess({
      name: 'sources',
      entry: 'apps/sources/dist/main.js',
      env: { NATS_URL: nats.url, DATABASE_URL: database.url, ...env, ...more },
    });
  const bus = await Bus.connect({ servers: nats.url, name: 'sources-test' });
  await ensureStreams(bus.nc); // the owner of the streams is not here
  const process = await replica();
  const objects = await ObjectStore.open(bus.nc, BUCKETS.uploads);

  const ask: SourcesService['ask'] = async (contract, request) => {
    const result = await bus.call(contract, request, { timeoutMs: 20_000 });
    if (!result.ok) throw new Error(`${contract.subject}: ${JSON.stringify(result.error)}`);
    return result.value;
  };
  return {
    process,
    database,
    bus,
    objects,
    ask,
    replica,
    async refusal(contract, request) {
      const result = await bus.call(contract, request, { timeoutMs: 20_000 });
      if (result.ok) throw new Error(`${contract.subject} was served: ${JSON.stringify(result.value)}`);
      return result.error;
    },
    async add(corpus, name, body) {
      const object = await objects.put(`upload-${(uploads += 1)}`, Buffer.from(body as string));
      return (await ask(sourcesContracts.addDocument, { corpus, name, object })).document;
    },
    async settled(corpus, timeoutMs = 90_000) {
      const what = `the documents of ${corpus} to be parsed`;
      const pending = async (): Promise<boolean> =>
        (await ask(sourcesContracts.describeCorpus, { corpus })).pending === 0;
      await until(pending, { what, timeoutMs });
      const { documents } = await ask(sourcesContracts.listDocuments, { corpus, limit: 200 });
      return new Map(documents.map((document) => [document.name, document]));
    },
    async stop() {
      await bus.close();
      await process.stop();
      await database.drop();
    },
  };
}
