import { Module, type DynamicModule } from '@nestjs/common';
import { BUCKETS } from '@waymark/contracts/streams';
import { Bus, ObjectStore } from '@waymark/messaging';
import { Db } from '@waymark/persistence';
import type { Logger } from '@waymark/telemetry';
import { fileURLToPath } from 'node:url';
import { SourcesController } from './adapters/nats/sources.controller.js';
import { ParseQueue } from './adapters/parse-process/parse-queue.js';
import { Documents } from './adapters/postgres/documents.js';
import { ParseJobs } from './adapters/postgres/parse-jobs.js';
import { TextReader } from './adapters/postgres/text-reader.js';
import type { SourcesConfig } from './config.js';
import { Intake } from './handlers/add-document.js';

@Module({})
export class SourcesModule {
  static of(config: SourcesConfig, log: Logger): DynamicModule {
    const { lanes, claimMs, ...limits } = config.parse;
    const entry = fileURLToPath(new URL('./parse-worker.js', import.meta.url));
    return {
      module: SourcesModule,
      controllers: [SourcesController],
      providers: [
        { provide: Documents, inject: [Db], useFactory: (db: Db) => new Documents(db) },
        { provide: TextReader, inject: [Db], useFactory: (db: Db) => new TextReader(db, config.readCacheBytes) },
        { provide: ParseJobs, inject: [Db], useFactory: (db: Db) => new ParseJobs(db, claimMs) },
        {
          provide: ParseQueue,
          inject: [ParseJobs],
          useFactory: (jobs: ParseJobs) => new ParseQueue({ jobs, lanes, entry, limits, log }),
        },
        { provide: ObjectStore, inject: [Bus], useFactory: (bus: Bus) => ObjectStore.own(bus.nc, BUCKETS.uploads) },
        {
          provide: Intake,
          inject: [Documents, ObjectStore, ParseQueue],
          useFactory: (documents: Documents, objects: ObjectStore, queue: ParseQueue): Intake => ({
            documents,
            objects,
            maxDocumentBytes: config.maxDocumentBytes,
            onPending: () => queue.kick(),
            onObjectKept: (object, cause) => log.warn({ object, err: cause }, 'an object could not be deleted'),
          }),
        },
      ],
    };
  }
}
