import { Module, type DynamicModule } from '@nestjs/common';
import { Bus } from '@waymark/messaging';
import { ModelProvider } from '@waymark/model';
import { Db, OutboxRelay } from '@waymark/persistence';
import { InboxStore, LeaseStore, RecordStore } from '@waymark/persistence/holder';
import { createLogger } from '@waymark/telemetry';
import { RunRows } from './adapters/postgres/run-rows.js';
import { RUN_TABLES } from './adapters/postgres/run-tables.js';
import { HotBodies } from './adapters/redis/hot-bodies.js';
import { SERVICE, type RuntimeConfig } from './config.js';
import { RecordController } from './handlers/record.controller.js';
import { RunController } from './handlers/run.controller.js';
import { failpointOf } from './run/failpoint.js';
import { Replica } from './run/replica.js';
import { CONFIG } from './tokens.js';

/** The only wiring. */
@Module({})
export class RuntimeModule {
  static of(config: RuntimeConfig): DynamicModule {
    const logger = createLogger(SERVICE, { level: config.LOG_LEVEL });
    return {
      module: RuntimeModule,
      controllers: [RunController, RecordController],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: RunRows, useFactory: (db: Db) => new RunRows(db), inject: [Db] },
        { provide: RecordStore, useFactory: (db: Db) => new RecordStore(db, RUN_TABLES), inject: [Db] },
        { provide: InboxStore, useFactory: (db: Db) => new InboxStore(db, RUN_TABLES), inject: [Db] },
        { provide: LeaseStore, useFactory: (db: Db) => new LeaseStore(db, RUN_TABLES), inject: [Db] },
        { provide: HotBodies, useFactory: () => new HotBodies(config.REDIS_URL, logger) },
        {
          provide: Replica,
          useFactory: (
            bus: Bus,
            records: RecordStore,
            inbox: InboxStore,
            leases: LeaseStore,
            hot: HotBodies,
            relay: OutboxRelay,
            rows: RunRows,
          ) =>
            new Replica(
              {
                bus,
                provider: new ModelProvider({
                  api: config.MODEL_API,
                  baseUrl: config.MODEL_URL,
                  apiKey: config.MODEL_KEY,
                }),
                records,
                inbox,
                hot,
                config,
                logger,
                failpoint: failpointOf(config.FAILPOINT, config.NODE_ENV),
                stopReason: async (run) => await rows.stopReason(run),
                kick: () => relay.kick(),
              },
              leases,
            ),
          inject: [Bus, RecordStore, InboxStore, LeaseStore, HotBodies, OutboxRelay, RunRows],
        },
      ],
    };
  }
}
