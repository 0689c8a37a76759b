import { Module, type DynamicModule } from '@nestjs/common';
import { RequestLog } from './adapters/files/request-log.js';
import { ChatController } from './adapters/http/chat.controller.js';
import { ControlController } from './adapters/http/control.controller.js';
import { HealthController } from './adapters/http/health.controller.js';
import type { PracticeConfig } from './config.js';
import { AnswerChat } from './handlers/answer-chat.js';
import { FaultBoard } from './handlers/fault-board.js';
import { PRACTICE_CONFIG } from './tokens.js';

@Module({})
export class PracticeModelModule {
  static with(config: PracticeConfig): DynamicModule {
    return {
      module: PracticeModelModule,
      controllers: [ChatController, ControlController, HealthController],
      providers: [
        { provide: PRACTICE_CONFIG, useValue: config },
        { provide: RequestLog, useFactory: () => RequestLog.open(config.logFile, config.logBodies) },
        FaultBoard,
        AnswerChat,
      ],
    };
  }
}
