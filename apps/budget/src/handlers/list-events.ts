import { Controller } from '@nestjs/common';
import { listEvents } from '@waymark/contracts/budget';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { fitPage, Handle } from '@waymark/messaging';
import { LedgerStore } from '../adapters/postgres/ledger-store.js';
import { Commands } from './commands.js';
import { eventsOf } from './event-rows.js';

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
    const { items, next } = fitPage(events, limit, ({ seq }) => seq);
    return { events: items, next };
  }
}
