/**
 * `npm run secrets [-- <file>]`: writes `.env`, or the file named, with a random password for each user of
 * docker-compose.yml. Leaves an existing file alone.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { headComment } from './head-comment.mjs';
import { root } from './setup.mjs';

const services = ['budget', 'publication', 'reminder', 'runtime', 'reviewer', 'sources'];
const names = [
  'POSTGRES_PASSWORD',
  'REDIS_PASSWORD',
  ...services.map((service) => `${service.toUpperCase()}_DB_PASSWORD`),
  ...[...services, 'cli'].map((service) => `${service.toUpperCase()}_NATS_PASSWORD`),
];
const [path = join(root, '.env'), ...more] = process.argv.slice(2);
if (path.startsWith('-') || more.length > 0) {
  const asked = path === '--help' || path === '-h';
  (asked ? console.log : console.error)(headComment(import.meta.url));
  process.exit(asked ? 0 : 2);
}
try {
  // It starts with a letter because NATS reads digits as a number; hex needs no escaping in a URL.
  const lines = names.map((name) => `${name}=w${randomBytes(16).toString('hex')}`);
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  console.log(`wrote ${path}: ${names.length} passwords`);
} catch (error) {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  console.log(
    `${path} exists and stays as it is; remove it for new passwords (and the volumes of docker compose with it)`,
  );
}
