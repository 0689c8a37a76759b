/** Messages of the budget as a bare NATS client sees them. */
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { budgetContracts } from '@waymark/contracts/budget';
import { budgetSnapshot } from '@waymark/contracts/budget';
import { completed } from './book.js';
import { startReplicas, type BudgetReplicas } from './budget-replicas.js';

const NOBODY = '0197b1c2-0000-7000-8000-00000000dead';
let budget: BudgetReplicas;
let nc: NatsConnection;
beforeAll(async () => {
  budget = await startReplicas(1);
  nc = await connect({ servers: budget.natsUrl });
});
afterAll(async () => {
  await nc.close();
  await budget.stop();
});

async function ask(verb: string, body: object | string): Promise<{ body: Record<string, unknown>; error: string }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const reply = await nc.request(`waymark.budget.v1.${verb}`, text, { timeout: 5_000 });
  return { body: reply.json(), error: reply.headers?.get('Nats-Service-Error') ?? '' };
}

const bodies: Record<string, object> = {
  'take-over': { holder: 'run', epoch: 1, heartbeatAgeMs: 0, leaseEndAgeMs: 0 },
  reserve: { holder: 'run', epoch: 1, key: 'run/1/a', purpose: 'explore' },
  settle: { holder: 'run', epoch: 1 },
  snapshot: {},
  close: { epoch: 1, reason: 'x' },
  'list-events': {},
};

describe('coded answers to bad input', () => {
  it.each(Object.entries(bodies))('an unknown run is refused with a remedy: %s', async (verb, body) => {
    const answer = await ask(verb, { run: NOBODY, ...body });
    expect(answer.error).toBe('unknown_run');
    expect(answer.body).toMatchObject({ code: 'unknown_run', field: 'run' });
    expect(answer.body['remedy']).not.toBe('');
  });

  it.each([
    ['malformed JSON', '{', 'malformed_json', undefined],
    ['an unknown field', { run: NOBODY, ...bodies['reserve'], nope: 1 }, 'unknown_field', 'nope'],
    ['a missing field', { run: NOBODY, holder: 'run', epoch: 1, key: 'run/1/a' }, 'missing_field', 'purpose'],
    ['a wrong type', { run: NOBODY, ...bodies['reserve'], epoch: '1' }, 'invalid_field', 'epoch'],
    ['a holder of nobody', { run: NOBODY, ...bodies['reserve'], holder: 'me' }, 'invalid_field', 'holder'],
    ['a key with U+0000', { run: NOBODY, ...bodies['reserve'], key: 'run/1/\0' }, 'invalid_field', 'key'],
  ])('%s', async (_, body, code, field) => {
    const answer = await ask('reserve', body);
    expect(answer.error).toBe(code);
    expect(answer.body['field']).toBe(field);
  });

  it('B3: not sent and content exclude each other', async () => {
    const settlements = [{ ...completed('3'), outcome: 'not_sent' }];
    const answer = await ask('settle', { run: NOBODY, ...bodies['settle'], settlements });
    expect(answer.error).toBe('invalid_field');
    expect(answer.body['field']).toContain('content');
  });

  it('reservations that cannot be ours are unknown, not an error', async () => {
    const run = await budget.openRun();
    const names = ['zzzzzz', '0', '-1', 'a'.repeat(200), "3'; --", 'é'];
    const { body } = await ask('settle', {
      run,
      ...bodies['settle'],
      settlements: names.map((name) => completed(name)),
    });
    expect(body['settled']).toEqual(
      names.map((reservation) => ({ reservation, result: 'unknown_reservation', outcome: null })),
    );
  });
});

describe('facts and pages', () => {
  it('L14: facts are published in order as events, and paged from any sequence', async () => {
    const run = await budget.openRun();
    const seen: { seq: number; type: string }[] = [];
    const events = nc.subscribe(`waymark.facts.v1.budget.${run}.>`);
    const reading = (async () => {
      for await (const msg of events) {
        seen.push(msg.json());
        if (seen.at(-1)?.type.endsWith('BudgetClosed')) break;
      }
    })();
    await nc.flush();
    const first = await budget.ask(budgetContracts.reserve, { run, ...owner, key: 'run/1/a', purpose: 'explore' });
    await budget.ask(budgetContracts.settle, {
      ...{ run, ...owner },
      settlements: [completed(first.grant?.reservation ?? '')],
    });
    await budget.ask(budgetContracts.close, { run, epoch: 1, reason: 'done' });
    await reading;
    const names = ['BudgetOpened', 'HolderTakenOver', 'ReservationGranted', 'RequestSettled', 'BudgetClosed'];
    expect(seen.slice(-4).map(({ type }) => type.split('.').at(-1))).toEqual(names.slice(1));
    const pages: number[] = [];
    let after: number | null = 0;
    while (after !== null) {
      const page: { events: { seq: number }[]; next: number | null } = await budget.ask(budgetContracts.listEvents, {
        ...{ run, after, limit: 2 },
      });
      pages.push(...page.events.map(({ seq }) => seq));
      after = page.next;
    }
    expect(pages).toEqual([1, 2, 3, 4, 5]);
    const { events: all } = await budget.ask(budgetContracts.listEvents, { run });
    expect(all.map(({ type }) => type)).toEqual(names.map((name) => `waymark.budget.fact.v1.${name}`));
    expect(seen.slice(-4)).toEqual(all.slice(1));
    expect((await budget.ask(budgetContracts.listEvents, { run, after: 5 })).events).toEqual([]);
  });

  it('B12: replies hold to their contract', async () => {
    const run = await budget.openRun();
    const { body } = await ask('reserve', { run, ...bodies['reserve'] });
    expect(() => budgetContracts.reserve.reply.parse(body)).not.toThrow();
    const refused = await ask('reserve', { run, ...bodies['reserve'], key: 'nope/1/a' });
    expect(() => budgetContracts.reserve.reply.parse(refused.body)).not.toThrow();
    expect(() => budgetSnapshot.parse(refused.body['snapshot'])).not.toThrow();
    const taken = await ask('take-over', { run, ...bodies['take-over'], epoch: 2 });
    expect(() => budgetContracts.takeOver.reply.parse(taken.body)).not.toThrow();
    const closed = await ask('close', { run, epoch: 2, reason: 'x' });
    expect(() => budgetContracts.close.reply.parse(closed.body)).not.toThrow();
  });
});

const owner = { holder: 'run', epoch: 1 };
