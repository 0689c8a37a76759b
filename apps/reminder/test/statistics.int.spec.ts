import { statistics } from '@waymark/contracts/reminder';
import { factSubject, factType } from '@waymark/contracts/streams';
import { newRun, until, withClient } from '@waymark/testing';
import { startReplicas, value, type Replicas } from './replicas.js';

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas();
}, 60_000);
afterAll(async () => {
  await replicas.stop();
}, 30_000);

type Line = { type: string; kind?: string; subject: string; stage: number };
const state: Line = { type: 'explore-requests', kind: 'state', subject: 'run', stage: 50 };
const plan: Line = { type: 'explore-requests', kind: 'advice', subject: 'run', stage: 50 };
const narrow: Line = { type: 'context-bytes', kind: 'advice', subject: 'run', stage: 75 };
const review: Line = { type: 'work-review', subject: 'run', stage: 1 };

/** Publishes a fact as the runtime's relay does; each call is a delivery of its own, as after a lost acknowledgement. */
async function tell(run: string, seq: number, name: string, data: Record<string, unknown>): Promise<void> {
  const at = new Date().toISOString();
  const fact = { owner: 'runtime', run, seq, at, type: factType('runtime', name), data };
  await replicas.bus.nc.request(factSubject('runtime', run, name), JSON.stringify(fact), { timeout: 5_000 });
}
const intended = (run: string, seq: number, request: number, notices: object) =>
  tell(run, seq, 'RequestIntended', {
    request,
    turn: request,
    notices: { source: 'reminder', included: [], omitted: [], combined: [], rearmed: [], text: null, ...notices },
  });
const settled = (run: string, seq: number, request: number, delivery: string) =>
  tell(run, seq, 'RequestSettled', { request, outcome: 'completed', delivery });

const rows = async (run?: string) =>
  value(await replicas.bus.call(statistics, run === undefined ? {} : { run }, { timeoutMs: 5_000 })).rows;
const total = async (run: string): Promise<number> => (await rows(run)).reduce((sum, { count }) => sum + count, 0);
const counted = (run: string, count: number) =>
  until(async () => (await total(run)) === count, { what: `${count} notices of ${run} to be counted` });

/** Every fact so far has been taken and acknowledged by some replica. */
async function drained(): Promise<void> {
  await until(
    async () => {
      for (const durable of ['reminder-intended', 'reminder-settled']) {
        const msg = await replicas.bus.nc.request(`$JS.API.CONSUMER.INFO.WAYMARK_FACTS.${durable}`);
        const info = JSON.parse(msg.string()) as { num_pending: number; num_ack_pending: number };
        if (info.num_pending + info.num_ack_pending > 0) return false;
      }
      return true;
    },
    { what: 'the facts to be read', timeoutMs: 20_000 },
  );
}

describe('statistics from facts, two replicas', () => {
  it('R8: each reminder counts under what became of it, over its run and over all', async () => {
    const run = newRun();
    await intended(run, 1, 1, { included: [state, plan], omitted: [narrow], combined: [review] });
    await settled(run, 2, 1, 'submitted');
    await intended(run, 3, 2, { included: [state] });
    await settled(run, 4, 2, 'uncertain');
    await intended(run, 5, 3, { included: [state, narrow] });
    await settled(run, 6, 3, 'rejected');
    await counted(run, 7);
    const expected = [
      { type: 'explore-requests', kind: 'advice', stage: 50, fate: 'submitted', count: 1 },
      { type: 'explore-requests', kind: 'state', stage: 50, fate: 'rejected', count: 1 },
      { type: 'explore-requests', kind: 'state', stage: 50, fate: 'submitted', count: 1 },
      { type: 'explore-requests', kind: 'state', stage: 50, fate: 'uncertain', count: 1 },
      { type: 'context-bytes', kind: 'advice', stage: 75, fate: 'omitted', count: 1 },
      { type: 'context-bytes', kind: 'advice', stage: 75, fate: 'rejected', count: 1 },
      { type: 'work-review', kind: 'advice', stage: 1, fate: 'combined', count: 1 },
    ];
    expect(await rows(run)).toEqual(expected);
    expect(await rows()).toEqual(expected);
    expect(await rows(newRun())).toEqual([]);
  });

  it('R8: a fact counts once, however often it is delivered, at whichever replica and in whatever order', async () => {
    const runs = Array.from({ length: 6 }, newRun);
    const deliveries: (() => Promise<void>)[] = [];
    for (const run of runs) {
      for (let request = 1; request <= 20; request += 1) {
        const seq = request * 2;
        for (let again = 0; again < 3; again += 1) {
          deliveries.push(() => intended(run, seq, request, { included: [state], omitted: [narrow] }));
          deliveries.push(() => settled(run, seq + 1, request, 'submitted'));
        }
      }
    }
    const shuffled = deliveries.map((send, i) => ({ send, key: (i * 7919) % deliveries.length }));
    shuffled.sort((a, b) => a.key - b.key);
    for (let i = 0; i < shuffled.length; i += 40) {
      await Promise.all(shuffled.slice(i, i + 40).map(({ send }) => send()));
    }
    await drained();
    for (const run of runs) {
      expect(await rows(run)).toEqual([
        { ...countOf(state), fate: 'submitted', count: 20 },
        { ...countOf(narrow), fate: 'omitted', count: 20 },
      ]);
    }
  }, 60_000);

  it('E4: a request that was told nothing leaves no count, and an intent without notices no row', async () => {
    const run = newRun();
    await intended(run, 1, 1, {});
    await drained();
    expect(await rowsOfRequests(run)).toBe(0);
    await settled(run, 2, 1, 'submitted');
    await drained();
    expect(await rows(run)).toEqual([]);
  });

  it('R13: a fact that cannot be read and a type of another release stop nothing', async () => {
    const run = newRun();
    await tell(run, 1, 'RequestIntended', { request: 'one' });
    await replicas.bus.nc.request(factSubject('runtime', run, 'RequestSettled'), 'no fact at all', { timeout: 5_000 });
    await intended(run, 2, 1, { included: [state, { ...state, type: 'user-deadline' }] });
    await settled(run, 3, 1, 'submitted');
    await counted(run, 1);
  });

  it('R8: facts that came while nobody ran are counted later', async () => {
    const run = newRun();
    await Promise.all(replicas.services.splice(0).map((service) => service.stop()));
    await intended(run, 1, 1, { included: [state] });
    await settled(run, 2, 1, 'submitted');
    await replicas.add();
    await counted(run, 1);
  }, 30_000);
});

function countOf({ type, kind = 'advice', stage }: Line) {
  return { type, kind, stage };
}

async function rowsOfRequests(run: string): Promise<number> {
  return await withClient(replicas.database.url, async (client) => {
    return (await client.query('SELECT 1 FROM request WHERE run_id = $1', [run])).rowCount ?? 0;
  });
}
