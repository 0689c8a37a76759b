import { Module } from '@nestjs/common';
import { NoticeCounts } from './adapters/postgres/notice-counts.js';
import { Compose } from './handlers/compose.js';
import { ProjectNotices } from './handlers/project-notices.js';
import { ReadStatistics } from './handlers/read-statistics.js';

@Module({
  controllers: [Compose, ReadStatistics],
  providers: [NoticeCounts, ProjectNotices],
})
export class ReminderModule {}
