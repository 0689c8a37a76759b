import { compose, composeReply } from '@waymark/contracts/reminder';
import { tcpProxy, until } from '@waymark/testing';
import { block, counted, facts } from './facts.js';
import { startReplicas, type Replicas } from './replicas.js';

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas();
}, 60_000);
afterAll(async () => {
  await replicas.stop();
}, 30_000);

/** The bare client: bytes out, bytes and headers in. */
async function ask(body: string): Promise<{ code: string | undefined; answer: unknown }> {
  const msg = await replicas.bus.nc.request(compose.subject, body, { timeout: 5_000 });
  return { code: msg.headers?.get('Nats-Service-Error') || undefined, answer: JSON.parse(msg.string()) };
}
const refused = async (body: unknown) => (await ask(typeof body === 'string' ? body : JSON.stringify(body))).answer;

describe('compose over the bare NATS client, two replicas', () => {
  it('R1, R15: plain JSON facts in, candidates out, the same from whichever replica', async () => {
    const body = JSON.stringify(facts({ explore: counted(40, 31), blocks: [block('fees', 1)] }));
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(body)));
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    const [{ code, answer }] = replies;
    expect(code).toBeUndefined();
    const reply = composeReply.parse(answer);
    expect(reply.state.map(({ text }) => text)).toEqual([
      'Explore requests: 31 of 40 used, counting this one; 9 are left.',
      'Block "fees" has 1 of 2 revisions left; other blocks and the ending are not affected.',
    ]);
    expect(reply.advice.map(({ type, stage }) => [type, stage])).toEqual([['explore-requests', 75]]);
  });

  it('R1: every bad input gets a coded answer with a remedy, naming the field', async () => {
    const good = facts();
    const { review: _, ...withoutReview } = good;
    const cases: [unknown, string, string | undefined][] = [
      ['{"run":', 'malformed_json', undefined],
      ['', 'malformed_json', undefined],
      [{ ...good, mood: 'tense' }, 'unknown_field', 'mood'],
      [{ ...good, budget: { ...good.budget, mood: 1 } }, 'unknown_field', 'budget.mood'],
      [withoutReview, 'missing_field', 'review'],
      [{ ...good, language: 'fr' }, 'invalid_field', 'language'],
      [{ ...good, run: 'mine' }, 'invalid_field', 'run'],
      [{ ...good, context: { contentBytes: -1, hardLimitBytes: 10 } }, 'invalid_field', 'context.contentBytes'],
      [{ ...good, stages: { percent: [], marginPercent: 5 } }, 'invalid_field', 'stages.percent'],
      [
        { ...good, publication: { ...good.publication, run: '0190a000-0000-7000-8000-00000000000f' } },
        'invalid_field',
        'publication.run',
      ],
      [{ ...good, unconfirmed: ['x'.repeat(600_000)] }, 'body_too_large', undefined],
    ];
    for (const [body, code, field] of cases) {
      const answer = await refused(body);
      expect(answer).toMatchObject({ code, remedy: expect.any(String), ...(field !== undefined && { field }) });
    }
    expect((await ask('nonsense')).code).toBe('malformed_json');
  });

  it('R1: it keeps nothing and needs no database: with PostgreSQL away it still answers, and says so in its health', async () => {
    const proxy = await tcpProxy({ port: Number(new URL(replicas.database.url).port) });
    const service = await replicas.add(proxy.through(replicas.database.url));
    await Promise.all(replicas.services.splice(0, 2).map((other) => other.stop()));
    proxy.refuse();
    const ready = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${service.healthPort}/health/ready`)).status;
    await until(async () => (await ready()) === 503, { what: 'readiness to tell of the database' });
    expect((await ask(JSON.stringify(facts()))).code).toBeUndefined();
    proxy.heal();
    await until(async () => (await ready()) === 200, { what: 'readiness to come back' });
  });
});
