import { Module } from '@nestjs/common';
import { BUCKETS } from '@waymark/contracts/streams';
import { Bus, ObjectStore } from '@waymark/messaging';
import { Renderings } from './adapters/nats/renderings.js';
import { BlockHistory } from './handlers/block-history.js';
import { CloseReport } from './handlers/close-report.js';
import { Commands } from './handlers/commands.js';
import { GetReport } from './handlers/get-report.js';
import { ListEvents } from './handlers/list-events.js';
import { ListShown } from './handlers/list-shown.js';
import { NoteProgress } from './handlers/note-progress.js';
import { OpenReport } from './handlers/open-report.js';
import { Snapshot } from './handlers/snapshot.js';
import { WriteBlock } from './handlers/write-block.js';

@Module({
  controllers: [
    ...[OpenReport, WriteBlock, NoteProgress, CloseReport],
    ...[Snapshot, GetReport, BlockHistory, ListShown, ListEvents],
  ],
  providers: [
    Commands,
    {
      provide: Renderings,
      inject: [Bus],
      useFactory: async (bus: Bus) => new Renderings(await ObjectStore.own(bus.nc, BUCKETS.reports)),
    },
  ],
})
export class PublicationModule {}
