/**
 * Prints the Secrets that infra/k8s refers to, made of the passwords that `npm run secrets` has written, for `kubectl apply`:
 *
 *     node tools/kubernetes-secrets.mjs | kubectl apply -f -
 *     node tools/kubernetes-secrets.mjs --env-file .env --postgres db.example.com:5432 --redis cache.example.com:6379
 *
 * Nothing of them is an argument or a file. The model's key is no password of ours: it comes from a file of yours,
 * `kubectl -n waymark create secret generic waymark-model-key --from-file=MODEL_KEY=<file>`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './setup.mjs';

const NAMESPACE = 'waymark';
/** @param {string} why @returns {never} */
const refuse = (why) => {
  console.error(why);
  process.exit(2);
};

const { values } = (() => {
  try {
    return parseArgs({
      options: {
        'env-file': { type: 'string', default: join(root, '.env') },
        postgres: { type: 'string', default: 'postgres:5432' },
        redis: { type: 'string', default: 'redis:6379' },
      },
    });
  } catch (error) {
    return refuse(`${/** @type {Error} */ (error).message}\n  there are --env-file, --postgres and --redis`);
  }
})();

const passwords = readPasswords(values['env-file']);
/** @param {RegExp} names */
const those = (names) => Object.fromEntries(Object.entries(passwords).filter(([name]) => names.test(name)));
/** @param {string} name */
const password = (name) =>
  passwords[name] ?? refuse(`${values['env-file']}: no ${name}; write it anew by npm run secrets`);

const services = Object.keys(those(/_DB_PASSWORD$/)).map((name) => name.replace('_DB_PASSWORD', ''));
const secrets = [
  ...services.map((name) => {
    const service = name.toLowerCase();
    return secret(service, {
      NATS_PASS: password(`${name}_NATS_PASSWORD`),
      DATABASE_URL: `postgres://${service}:${password(`${name}_DB_PASSWORD`)}@${values.postgres}/${service}`,
      ...(service === 'runtime' ? { REDIS_URL: `redis://:${password('REDIS_PASSWORD')}@${values.redis}` } : {}),
    });
  }),
  // For the servers of overlays/all-in-one.
  secret('nats', those(/_NATS_PASSWORD$/)),
  secret('postgres', { POSTGRES_PASSWORD: password('POSTGRES_PASSWORD'), ...those(/_DB_PASSWORD$/) }),
  secret('redis', { REDIS_PASSWORD: password('REDIS_PASSWORD') }),
];
console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: secrets }, null, 2));

/** @param {string} name @param {Record<string, string>} stringData */
function secret(name, stringData) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: `waymark-${name}`, namespace: NAMESPACE }, stringData };
}

/** @param {string} path @returns {Record<string, string>} */
function readPasswords(path) {
  try {
    const lines = readFileSync(path, 'utf8').matchAll(/^([A-Z_]+)=(.+)$/gm);
    return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
  } catch {
    return refuse(`${path} cannot be read; write it by npm run secrets`);
  }
}
