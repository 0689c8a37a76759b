/**
 * docker-compose.yml against the specification's schema and against what it names. Not run here: `docker compose` itself.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { appNames, workspaceRoot } from '@waymark/testing';
import { parse } from 'yaml';
import { defaultOf, keyProblems, migrateProblems } from './infra/given-keys.js';

interface Container {
  image: string;
  build?: { context: string; dockerfile: string; args: { APP: string } };
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  env_file?: (string | { path: string; required?: boolean })[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  ports?: string[];
  profiles?: string[];
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
}
interface Compose {
  services: Record<string, Container>;
  volumes: Record<string, unknown>;
}

const root = workspaceRoot();
const file = (path: string): string => readFileSync(join(root, path), 'utf8');
const text = file('docker-compose.yml');
const read = (source: string): Compose => parse(source, { merge: true }) as Compose;
const { services, volumes } = read(text);
const all = Object.entries(services);
const ours = all.filter(([, { build }]) => build !== undefined);
const SERVICES = ['budget', 'publication', 'reminder', 'reviewer', 'runtime', 'sources'];

const { $schema: _, ...schema } = JSON.parse(file('tools/test/fixtures/compose-spec.json')) as Record<string, unknown>;
const ajv = new Ajv({ allErrors: true });
const validate = ajv.compile(schema);
const complaints = (source: string): string[] =>
  validate(read(source)) ? [] : (validate.errors ?? []).map((error) => `${error.dataPath} ${error.message ?? ''}`);

describe('docker-compose.yml', () => {
  it('is what the specification says; a misspelt key, a wrong type and a condition that is none are not', () => {
    expect(complaints(text)).toEqual([]);
    for (const [right, wrong] of [
      ['stop_grace_period: 25s', 'stop_grace_periods: 25s'],
      ['stop_grace_period: 25s', 'stop_grace_period: 25'],
      ['read_only: true', 'read_only: [true]'],
      ['condition: service_healthy', 'condition: service_well'],
    ] as const)
      expect([wrong, complaints(text.replace(right, wrong)).length > 0]).toEqual([wrong, true]);
  });

  it('has every application, and a migrate job that goes before each service with a database', () => {
    const named = ours.map(([, { build }]) => build?.args.APP);
    expect([...new Set(named)].sort()).toEqual(appNames());
    for (const service of SERVICES) {
      const job = services[`${service}-migrate`];
      expect([service, job?.command]).toEqual([service, ['node', 'dist/migrate.js']]);
      expect([service, services[service]?.command]).toEqual([service, undefined]);
      expect(existsSync(join(root, 'apps', service, 'src/migrate.ts'))).toBe(true);
      expect(services[service]?.depends_on?.[`${service}-migrate`]).toEqual({
        condition: 'service_completed_successfully',
      });
    }
    expect(services['cli']).toMatchObject({ entrypoint: ['node', 'dist/main.js'], profiles: ['tools'] });
  });

  it('builds each image by the one Dockerfile and gives it the name and version that it is', () => {
    const { version } = JSON.parse(file('package.json')) as { version: string };
    for (const [name, { build, image }] of ours) {
      const app = name.replace(/-migrate$/, '');
      expect(build).toEqual({ context: '.', dockerfile: 'infra/docker/Dockerfile', args: { APP: app } });
      expect(image).toBe(`waymark/${app}:${version}`);
    }
  });

  it('gives each program the keys that it needs and none that it does not read', () => {
    const given = ({ environment = {}, env_file = [] }: Container): string[] => {
      const files = env_file.map((one) => (typeof one === 'string' ? { path: one } : one));
      const needed = files.filter((one) => one.required !== false).map(({ path }) => file(path));
      const lines = needed.flatMap((content) => [...content.matchAll(/^([A-Z_]+)=./gm)].map(([, key = '']) => key));
      return [...Object.keys(environment), ...lines];
    };
    const problems = ours.flatMap(([name, container]) =>
      name.endsWith('-migrate')
        ? migrateProblems(name.replace(/-migrate$/, ''), given(container))
        : keyProblems(name, given(container)),
    );
    expect(problems).toEqual([]);
    // What a missing and an unknown key look like.
    expect(keyProblems('runtime', ['NATS_URL', 'DATABASE_URL', 'MODEL_URL', 'MODEL'])).toEqual([
      'runtime does not read MODEL',
      'runtime needs MODEL_NAME',
    ]);
  });

  it('waits only for what is there, mounts only what is there, and each container is asked where it answers', () => {
    const { http, listen } = Object.fromEntries(
      [...file('infra/nats/nats.conf').matchAll(/^(http|listen): "0\.0\.0\.0:(\d+)"/gm)].map(([, key, port]) => [
        key,
        port,
      ]),
    ) as Record<string, string>;
    for (const [name, container] of all) {
      for (const other of Object.keys(container.depends_on ?? {}))
        expect([name, Object.keys(services)]).toEqual([name, expect.arrayContaining([other])]);
      for (const volume of container.volumes ?? []) {
        const from = volume.split(':')[0] ?? '';
        expect([volume, from.startsWith('.') ? existsSync(join(root, from)) : from in volumes]).toEqual([volume, true]);
      }
      const addresses = JSON.stringify(container.environment ?? {}).matchAll(/(?:\/\/|@)([a-z][a-z-]*):(\d+)/g);
      for (const [, host = '', port] of addresses) {
        const ports: Record<string, string | undefined> = { nats: listen, postgres: '5432', redis: '6379' };
        expect([host, port]).toEqual([host, ports[host]]);
      }
    }
    expect(services['nats']?.healthcheck?.test?.at(-1)).toBe(`http://127.0.0.1:${http}/healthz`);
    expect(file('infra/docker/practice-model.env')).toContain(`MODEL_URL=http://practice-model:${imagePort()}/v1`);
    expect(all.filter(([, { ports }]) => ports !== undefined).map(([name, { ports }]) => [name, ports])).toEqual([
      ['nats', [`127.0.0.1:${listen}:${listen}`]],
    ]);
  });

  it('L2: ends a service only after its own time to drain, and lets none of ours write or have rights of root', () => {
    for (const [name, container] of ours) {
      expect([name, container.read_only, container.cap_drop]).toEqual([name, true, ['ALL']]);
      if (!SERVICES.includes(name)) continue;
      const seconds = Number(/^(\d+)s$/.exec(container.stop_grace_period ?? '')?.[1]);
      expect(seconds * 1_000).toBeGreaterThanOrEqual(defaultOf(name, 'DRAIN_MS') + 2_000);
    }
  });
});

const imagePort = (): string => /\bPORT=(\d+)/.exec(file('infra/docker/Dockerfile'))?.[1] ?? 'none';
