import { Controller, Get } from '@nestjs/common';
import { PRACTICE_LABEL } from '../../core/protocol/models.js';

/** It needs nothing but itself, so all three answer the same as soon as it listens. */
@Controller('health')
export class HealthController {
  @Get(['live', 'ready', 'startup'])
  ok(): object {
    return { status: 'ok', service: PRACTICE_LABEL };
  }
}
