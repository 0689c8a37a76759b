import { Controller } from '@nestjs/common';
import { settle } from '@waymark/contracts/budget';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { decideSettle } from '../core/decide-settle.js';
import { Commands } from './commands.js';
import { namedIn } from './named-in.js';

@Controller()
export class Settle {
  constructor(private readonly commands: Commands) {}

  @Handle(settle)
  async handle(request: ParsedRequestOf<typeof settle>): Promise<ReplyOf<typeof settle>> {
    return await this.commands.carryOut(request.run, (draft, now) => decideSettle(draft, request, now), {
      reservations: namedIn(request),
      key: null,
    });
  }
}
