/** The pause that a provider asks for, shared by all runs and replicas through Redis (B14). */
import { startRedis, until, type RedisServer, type RunningServer } from '@waymark/testing';
import { createLogger } from '@waymark/telemetry';
import { Redis } from 'ioredis';
import { HotBodies } from '../src/adapters/redis/hot-bodies.js';

const DAY_MS = 24 * 3_600_000;
const LONGEST_MS = 300_000;
const logger = createLogger('runtime', { level: 'silent' });

let redis: RedisServer & RunningServer;
const open: { close(): unknown }[] = [];
const keep = <T extends { close(): unknown }>(it: T): T => {
  open.push(it);
  return it;
};

beforeAll(async () => {
  redis = await startRedis();
}, 30_000);
afterAll(async () => {
  for (const it of open) it.close();
  await redis?.stop();
});

const replica = (url?: string): HotBodies => keep(new HotBodies(url, logger));

/** What a replica knows once it has heard of a pause. */
async function heardOf(hot: HotBodies, provider: string): Promise<number> {
  let ms = 0;
  await until(async () => (ms = await hot.pausedMs(provider)) > 0, { what: 'the pause to be heard of' });
  return ms;
}

it('B14: one answer that asks for a day keeps everybody waiting for five minutes, then somebody asks again', async () => {
  const alone = replica();
  alone.pause('a', DAY_MS);
  expect(await alone.pausedMs('a')).toBeGreaterThan(LONGEST_MS / 2);
  expect(await alone.pausedMs('a')).toBeLessThanOrEqual(LONGEST_MS);

  const told = replica(redis.url);
  const raw = new Redis(redis.url);
  keep({ close: () => raw.disconnect() });
  await until(
    async () => {
      told.pause('b', DAY_MS); // it is told to Redis once that is reached
      return (await raw.exists('waymark:pause:b')) === 1;
    },
    { what: 'the pause to be shared' },
  );
  expect(await raw.pttl('waymark:pause:b')).toBeLessThanOrEqual(LONGEST_MS);
  expect(await heardOf(replica(redis.url), 'b')).toBeLessThanOrEqual(LONGEST_MS);
});

it('B14: a day that another release has left in Redis is five minutes as well; a short pause is what it was', async () => {
  const raw = new Redis(redis.url);
  keep({ close: () => raw.disconnect() });
  await raw.set('waymark:pause:c', '1', 'PX', DAY_MS);
  expect(await heardOf(replica(redis.url), 'c')).toBeLessThanOrEqual(LONGEST_MS);
  const alone = replica();
  alone.pause('d', 20_000);
  expect(await alone.pausedMs('d')).toBeLessThanOrEqual(20_000);
});
