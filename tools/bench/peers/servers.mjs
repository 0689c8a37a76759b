/**
 * NATS and Redis for the measurement beside others, in a process of its own: they outlive the program that is killed and
 * resumed, as PostgreSQL does. Writes how they are reached to the file that is named, and stays until it is told to go.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { startNats, startRedis } from '@waymark/testing';
import { DEPLOYED_USERS, STACK_SERVICES } from '@waymark/testing/stack';

const [file = ''] = process.argv.slice(2);
const [nats, redis] = await Promise.all([startNats({ auth: DEPLOYED_USERS }), startRedis()]);
const access = Object.fromEntries(STACK_SERVICES.map((user) => [user, nats.access(user)]));
const state = {
  pid: process.pid,
  nats: { url: nats.url, pid: nats.pid, folder: nats.folder, access, admin: nats.access() },
  redis: { url: redis.url, pid: redis.pid },
};
writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
renameSync(`${file}.new`, file);
const end = async () => {
  await Promise.all([nats.stop(), redis.stop()]);
  process.exit(0);
};
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.once(signal, () => void end());
setInterval(() => undefined, 60_000);
