import { Module, type DynamicModule } from '@nestjs/common';
import { Bus } from '@waymark/messaging';
import { ModelProvider } from '@waymark/model';
import { Db, OutboxRelay } from '@waymark/persistence';
import type { Logger } from '@waymark/telemetry';
import { Reports } from './adapters/nats/reports.js';
import { ReviewRows } from './adapters/postgres/review-rows.js';
import type { ReviewerConfig } from './config.js';
import { GetReview } from './handlers/get-review.js';
import { ListEvents } from './handlers/list-events.js';
import { StopReviews } from './handlers/stop-reviews.js';
import { Replica } from './review/replica.js';

@Module({})
export class ReviewerModule {
  static with(config: ReviewerConfig, logger: Logger): DynamicModule {
    const { modelApi, modelUrl, modelKey, modelName, outputCap } = config;
    return {
      module: ReviewerModule,
      controllers: [GetReview, StopReviews, ListEvents],
      providers: [
        ReviewRows,
        {
          provide: Replica,
          inject: [Bus, Db, ReviewRows, OutboxRelay],
          useFactory: (bus: Bus, db: Db, rows: ReviewRows, relay: OutboxRelay) => {
            const provider = new ModelProvider({ api: modelApi, baseUrl: modelUrl, apiKey: modelKey });
            const platform = { bus, reports: new Reports(bus), provider, modelName, outputCap, logger };
            return new Replica(platform, db, rows, relay, config);
          },
        },
      ],
    };
  }
}
