/** What the outbox tells: every fact as an event, and each alarm of a limit to the run's inbox. */
import type { BudgetFact } from '@waymark/contracts/budget';
import type { InboxDelivery } from '@waymark/contracts/runtime';
import { factType, WORK } from '@waymark/contracts/streams';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { factRow, outboxRow, type OutboxRow } from '@waymark/persistence';
import { SERVICE } from '../config.js';
import type { StoredFacts } from '../adapters/postgres/fact-codec.js';

export function eventRows(run: string, { at, first, facts }: StoredFacts): OutboxRow[] {
  return facts.flatMap((fact, index) => {
    const seq = first + index;
    const { type: name, ...data } = fact;
    const row = factRow({ owner: SERVICE, run, seq, at: new Date(at), name, data });
    const delivery = deliveryOf(run, seq, fact);
    if (delivery === null) return [row];
    return [row, outboxRow({ subject: WORK.inbox.limit, msgId: `${SERVICE}/${run}/inbox/${seq}`, body: delivery })];
  });
}

export function eventsOf(run: string, { at, first, facts }: StoredFacts): WaymarkEvent[] {
  return facts.map(({ type, ...data }, index) => ({
    owner: SERVICE,
    run,
    seq: first + index,
    at: new Date(at).toISOString(),
    type: factType(SERVICE, type),
    data,
  }));
}

/** The key names the fact, so that a limit which is widened and reached again is told again. */
function deliveryOf(run: string, seq: number, fact: BudgetFact): InboxDelivery | null {
  if (fact.type !== 'LimitNeared' && fact.type !== 'LimitReached') return null;
  const stage = fact.type === 'LimitNeared' ? 'neared' : 'reached';
  return { run, key: `${SERVICE}/limit/${fact.limit}/${stage}/${seq}`, kind: 'limit', limit: fact.limit, stage };
}
