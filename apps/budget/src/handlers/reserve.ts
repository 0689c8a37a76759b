import { Controller } from '@nestjs/common';
import { reserve } from '@waymark/contracts/budget';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { decideReserve } from '../core/decide-reserve.js';
import { Commands } from './commands.js';
import { namedIn } from './named-in.js';

@Controller()
export class Reserve {
  constructor(private readonly commands: Commands) {}

  @Handle(reserve)
  async handle(request: ParsedRequestOf<typeof reserve>): Promise<ReplyOf<typeof reserve>> {
    return await this.commands.carryOut(request.run, (draft, now) => decideReserve(draft, request, now), {
      reservations: namedIn(request),
      key: request.key,
    });
  }
}
