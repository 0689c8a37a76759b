import { Controller } from '@nestjs/common';
import { compose } from '@waymark/contracts/reminder';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle, WireError } from '@waymark/messaging';
import { composeNotices } from '../core/compose.js';
import { refuseFacts } from '../core/refuse-facts.js';

/** Stateless: it touches no database, so it answers while that is away. */
@Controller()
export class Compose {
  @Handle(compose)
  handle(facts: ParsedRequestOf<typeof compose>): ReplyOf<typeof compose> {
    const refusal = refuseFacts(facts);
    if (refusal) throw new WireError(refusal);
    return composeNotices(facts);
  }
}
