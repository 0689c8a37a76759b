import { Inject, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { Bus } from '@waymark/messaging';
import { Db, OutboxRelay } from '@waymark/persistence';
import type { Logger } from '@waymark/telemetry';

const LOGGER = Symbol('waymark logger');

/** Injects the service's logger: `constructor(@InjectLogger() private readonly logger: Logger)`. */
export const InjectLogger = (): ReturnType<typeof Inject> => Inject(LOGGER);

export interface Platform {
  logger: Logger;
  bus: Bus;
  db?: Db;
  relay?: OutboxRelay;
}

/** Everywhere injectable by class: `Bus`, `Db`, `OutboxRelay`; the logger by `@InjectLogger()`. */
@Module({})
export class PlatformModule {
  static of({ logger, bus, db, relay }: Platform): DynamicModule {
    const providers: Provider[] = [
      { provide: LOGGER, useValue: logger },
      { provide: Bus, useValue: bus },
      ...(db === undefined ? [] : [{ provide: Db, useValue: db }]),
      ...(relay === undefined ? [] : [{ provide: OutboxRelay, useValue: relay }]),
    ];
    return { module: PlatformModule, global: true, providers, exports: providers };
  }
}
