import { Controller } from '@nestjs/common';
import { listEvents } from '@waymark/contracts/budget';
import { MAX_BODY_BYTES, type ParsedRequestOf, type ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { LedgerStore } from '../adapters/postgres/ledger-store.js';
import { Commands } from './commands.js';
import { eventsOf } from './event-rows.js';
import { fitPage } from './fit-page.js';

@Controller()
export class ListEvents {
  constructor(
    private readonly commands: Commands,
    private readonly store: LedgerStore,
  ) {}

  @Handle(listEvents)
  async handle({ run, after, limit }: ParsedRequestOf<typeof listEvents>): Promise<ReplyOf<typeof listEvents>> {
    const rows = await this.store.readFacts(run, after, limit + 1);
    if (rows.length === 0) await this.commands.look(run, () => undefined); // an unknown run is refused
    const events = rows.flatMap((row) => eventsOf(run, row)).filter(({ seq }) => seq > after);
    return fitPage(events, limit, MAX_BODY_BYTES / 2);
  }
}
