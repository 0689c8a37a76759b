/** Names in infra/ that are wrong say nothing until something is missing: they are held against the contracts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUCKETS, FACT_CONSUMERS, FACTS_STREAM, WORK, WORK_CONSUMERS, WORK_STREAM } from '@waymark/contracts/streams';
import { appNames, configKeys, workspaceRoot } from '@waymark/testing';

const root = workspaceRoot();
const file = (path: string): string => readFileSync(join(root, path), 'utf8');
const SERVICES = appNames().filter((app) => configKeys(app).some(({ key }) => key === 'DATABASE_URL'));
const BUCKET_NAMES: readonly string[] = Object.values(BUCKETS).map(({ name }) => name);
const STREAMS: readonly string[] = [FACTS_STREAM.name, WORK_STREAM.name, ...BUCKET_NAMES.map((name) => `OBJ_${name}`)];
const DURABLES = [...Object.values(WORK_CONSUMERS), ...Object.values(FACT_CONSUMERS)].map(({ durable }) => durable);
const CONSUMERS: readonly string[] = DURABLES;
const WORK_SUBJECTS: readonly string[] = [WORK.run, WORK.review, ...Object.values(WORK.inbox)];

/** Streams, consumers and subjects that a text names and that there are not. */
function wrongNames(text: string): string[] {
  const subjects = [
    ...new Set([...text.matchAll(/"((?:\$JS|\$O|\$KV|waymark)\.[^"]+)"/g)].map(([, subject = '']) => subject)),
  ];
  return subjects.flatMap((subject) => {
    const tokens = subject.split('.');
    const at = tokens.findIndex((token) => /^(WAYMARK_|OBJ_|KV_)/.test(token));
    const consumer = subject.includes('CONSUMER') || subject.startsWith('$JS.ACK') ? tokens[at + 1] : undefined;
    const wrong = [
      ...(at >= 0 && !STREAMS.includes(tokens[at]!) ? [tokens[at]] : []),
      ...(at >= 0 && consumer !== undefined && !['*', '>', ...CONSUMERS].includes(consumer) ? [consumer] : []),
      ...(tokens[0] === '$O' && !BUCKET_NAMES.includes(tokens[1]!) ? [tokens[1]] : []),
      ...(tokens[0] === 'waymark' && !isSubject(subject, tokens) ? [subject] : []),
    ];
    return wrong.map((name) => `${subject}: no ${name}`);
  });
}

function isSubject(subject: string, [, owner = '', version = '', what = '']: readonly string[]): boolean {
  if (owner === 'work') return ['>', '*'].includes(what) || WORK_SUBJECTS.includes(subject);
  if (owner === 'facts') return version === 'v1' && ['>', '*', ...SERVICES].includes(what);
  if (version === 'nudge') return file('apps/runtime/src/run/replica.ts').includes(`'${subject}'`);
  return version === 'v1' && ['*', ...SERVICES].includes(owner);
}

describe('infra/nats/users.conf', () => {
  const users = file('infra/nats/users.conf');

  it('names only streams, consumers and subjects that there are, and every stream', () => {
    expect(wrongNames(users)).toEqual([]);
    for (const stream of STREAMS) expect(users).toContain(`.${stream}`);
    for (const durable of DURABLES) expect(users).toContain(`.${durable}`);
  });

  it('has a user for every service and for the CLI', () => {
    const named = [...users.matchAll(/^\s*user: "?([a-z-]+)"?/gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining([...SERVICES, 'cli']));
  });

  it('with a stream, a consumer or a subject that is misspelt would be found', () => {
    for (const [right, wrong] of [
      ['STREAM.INFO.WAYMARK_FACTS', 'STREAM.INFO.WAYMARK_FACT'],
      ['WAYMARK_WORK.runtime-run', 'WAYMARK_WORK.runtime-runs'],
      ['waymark.facts.v1.budget', 'waymark.facts.v1.bugdet'],
      ['waymark.work.v1.inbox.budget', 'waymark.work.v1.inbox.bugdet'],
      ['$O.waymark-reports', '$O.waymark-report'],
    ] as const)
      expect([wrong, wrongNames(users.replace(right, wrong)).length > 0]).toEqual([wrong, true]);
  });
});

describe('infra/postgres/init.sql', () => {
  it('makes the database and role that each service is given', () => {
    const sql = file('infra/postgres/init.sql');
    for (const service of SERVICES) {
      expect(sql).toMatch(new RegExp(`create database ${service}\\b`));
      expect(sql).toMatch(new RegExp(`create role ${service}\\b`));
    }
  });
});

describe('the environment of the tools', () => {
  it('is documented: each variable that they read stands in the README or in their own help', () => {
    const programs = readdirSync(join(root, 'tools'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.mjs'),
    );
    const read = programs.flatMap((name) =>
      [...file(`tools/${name}`).matchAll(/\benv(?:\.|\[')(WAYMARK_[A-Z_]+)/g)].map(([, key = '']) => key),
    );
    // What a tool gives to a process of its own is nobody else's to set.
    const given = programs.flatMap((name) =>
      [...file(`tools/${name}`).matchAll(/\b(WAYMARK_[A-Z_]+): /g)].map(([, key]) => key),
    );
    const pages = file('README.md') + file('tools/demo/options.mjs').replace(/\benv\.\w+/g, '');
    expect(read).toEqual(expect.arrayContaining(['WAYMARK_MODEL_URL', 'WAYMARK_SET_UP']));
    expect([...new Set(read)].filter((key) => !given.includes(key) && !pages.includes(key))).toEqual([]);
  });
});
