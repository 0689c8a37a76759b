import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { baseEnv, ConfigError, readConfig, serviceConfig } from './read-config.js';

const schema = z.object({ ...baseEnv, SWEEP_MS: z.coerce.number().int().min(100).default(5_000) });
const good = { NATS_URL: 'nats://n:4222', DATABASE_URL: 'postgres://u:p@h:5432/d' };

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(schema, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('was accepted');
}

describe('the configuration', () => {
  it('has defaults for all that is no address and no secret, and leaves other keys alone', () => {
    expect(readConfig(schema, { ...good, PATH: '/bin', SWEEP_MS: '' })).toEqual({
      ...good,
      DB_POOL: 10,
      HEALTH_PORT: 8080,
      LOG_LEVEL: 'info',
      DRAIN_MS: 20_000,
      SWEEP_MS: 5_000,
    });
    expect(serviceConfig(readConfig(schema, good))).toMatchObject({ natsUrl: good.NATS_URL, healthPort: 8080 });
  });

  it('names every key that is wrong with its remedy at once, and never a value', () => {
    const env = {
      NATS_URL: 'SECRET',
      HEALTH_PORT: 'SECRET',
      DB_POOL: '1',
      DRAIN_MS: '99999999',
      LOG_LEVEL: 'SECRET',
      SWEEP_MS: '1.5',
    };
    expect(problemsOf(env)).toEqual([
      'NATS_URL: not valid; expected nats://host:port; user and password apart',
      'DATABASE_URL: missing; set DATABASE_URL or DATABASE_URL_FILE',
      'DB_POOL: too small; set at least 2',
      'HEALTH_PORT: not a number; set one',
      'LOG_LEVEL: not known; set one of trace, debug, info, warn, error, fatal, silent',
      'DRAIN_MS: too large; set at most 600000',
      'SWEEP_MS: not a whole number; set one',
    ]);
    expect(problemsOf({ ...good, NATS_URL: 'nats://user:SECRET@n:4222' }).join()).not.toContain('SECRET');
  });

  it.each(['postgres://u:SECRET%@h/d', 'postgres://u:SECRET@[h/d', 'postgres://u:SECRET@h:99999/d'])(
    'an address of a database that cannot be taken apart is refused, and how signs are written is said: %#',
    (DATABASE_URL) => {
      const [problem, ...others] = problemsOf({ ...good, DATABASE_URL });
      expect(problem).toMatch(/^DATABASE_URL: not valid; .*%25/);
      expect(problem).not.toContain('SECRET');
      expect(others).toEqual([]);
    },
  );

  it('takes every address that a database may have', () => {
    const all = ['postgres://u:p%25%40@h/d', 'postgresql://h', 'postgres://u@[::1]:5432/d?sslmode=require'];
    for (const DATABASE_URL of [...all, 'postgres:///d?host=/var/run/postgresql']) {
      expect(readConfig(schema, { ...good, DATABASE_URL })).toMatchObject({ DATABASE_URL });
    }
  });

  it.each(['nats://[::bad', 'nats://h:99999', 'tls://[bad:4222', 'nats://a:1,nats://b:2'])(
    'an address of NATS from which no host can be read is refused by name: %s',
    (NATS_URL) => {
      expect(problemsOf({ ...good, NATS_URL })).toEqual([expect.stringMatching(/^NATS_URL: not valid; no address/)]);
    },
  );

  it('takes every address that NATS may have', () => {
    for (const NATS_URL of ['nats://n', 'tls://n:4222', 'nats://[::1]:4222'])
      expect(readConfig(schema, { ...good, NATS_URL })).toMatchObject({ NATS_URL });
  });

  it('a user of NATS without a password, and a password without a user, are refused by name', () => {
    expect(problemsOf({ ...good, NATS_USER: 'me' })).toEqual(['NATS_USER: set without NATS_PASS; set both or none']);
    expect(problemsOf({ ...good, NATS_PASS: 'SECRET' })).toEqual([
      'NATS_PASS: set without NATS_USER; set both or none',
    ]);
    expect(problemsOf({ ...good, NATS_USER: 'me', NATS_PASS: '' })).toHaveLength(1);
  });

  it('prints its problems without a trace of our own code', () => {
    try {
      readConfig(schema, {});
    } catch (error) {
      expect((error as Error).stack).toBe(
        'ConfigError: the configuration is not usable:\n' +
          '  NATS_URL: missing; set NATS_URL or NATS_URL_FILE\n' +
          '  DATABASE_URL: missing; set DATABASE_URL or DATABASE_URL_FILE',
      );
    }
    expect.assertions(1);
  });

  it('takes a value from the file that KEY_FILE names, without its last line break; KEY itself wins', () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-config-'));
    try {
      const file = join(folder, 'pass');
      writeFileSync(file, 'from the file \n');
      const env = { ...good, NATS_PASS_FILE: file, NATS_USER: 'me', NATS_USER_FILE: file };
      expect(readConfig(schema, env)).toMatchObject({ NATS_PASS: 'from the file ', NATS_USER: 'me' });
      expect(problemsOf({ ...good, NATS_PASS_FILE: join(folder, 'none') })).toEqual([
        'NATS_PASS_FILE: the file cannot be read (ENOENT); name a file that this process may read',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('takes one line break from the end of a value that stands in the environment itself; nothing else', () => {
    const env = { ...good, NATS_USER: 'me\r\n', NATS_PASS: 'two \n\n', SWEEP_MS: '\n' };
    expect(readConfig(schema, env)).toMatchObject({ NATS_USER: 'me', NATS_PASS: 'two \n', SWEEP_MS: 5_000 });
  });
});
