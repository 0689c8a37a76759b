import { readFileSync } from 'node:fs';
import { sourcesContracts as contracts } from '@waymark/contracts/sources';
import { until, withClient } from '@waymark/testing';
import { busyPdf } from './hostile-pdf.js';
import { startSources, type SourcesService } from './sources-service.js';

let sources: SourcesService;
afterEach(() => sources.stop());

/** Processes that `pid` has started and that still run. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const attempts = async (): Promise<number> =>
  await withClient(sources.database.url, async (client) => {
    const { rows } = await client.query<{ attempts: number }>('SELECT attempts FROM parse_job');
    return rows[0]?.attempts ?? 0;
  });

/** The process that parses for a service, once it does: no fork of the service any more, and no setpriv before its program. */
async function parserOf({ pid }: { pid: number }): Promise<number> {
  const isParser = (child: number): boolean => {
    const [program = '', ...rest] = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0');
    return !program.endsWith('setpriv') && rest.some((part) => part.includes('parse-worker'));
  };
  return await until(async () => ((await attempts()) === 1 ? childrenOf(pid).find(isParser) : undefined), {
    what: 'the parse to begin',
    timeoutMs: 30_000,
  });
}

test('a replica that is killed takes its parse process along, and another parses its files', async () => {
  sources = await startSources({ PARSE_CLAIM_MS: '1500', PARSE_CPU_MS: '600000' });
  await sources.add('killed', 'busy.pdf', busyPdf());
  const parser = await parserOf(sources.process);
  process.kill(parser, 'SIGSTOP'); // it cannot notice anything itself now
  await sources.process.stop('SIGKILL');
  await until(() => !isAlive(parser), { what: 'the parse process to end with its service' });

  const second = await sources.replica({ PARSE_CPU_MS: '2000' });
  try {
    const documents = await sources.settled('killed', 240_000);
    expect(documents.get('busy.pdf')?.reason?.code).toBe('timed_out');
  } finally {
    await second.stop();
  }
}, 400_000);

test('an orderly stop gives its file back at once, uncounted, and leaves no process behind', async () => {
  sources = await startSources({ PARSE_CLAIM_MS: '600000', PARSE_CPU_MS: '600000' });
  await sources.add('stopped', 'busy.pdf', busyPdf());
  const parser = await parserOf(sources.process);
  expect(await sources.process.stop('SIGTERM', 15_000)).toEqual({ code: 0, signal: null });
  expect(isAlive(parser)).toBe(false);
  expect(await attempts()).toBe(0);
}, 60_000);

test('a file that somebody holds does not keep the others waiting', async () => {
  sources = await startSources({ PARSE_LANES: '0' });
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await sources.add('held', name, name);
  const pending = async (): Promise<number> =>
    (await sources.ask(contracts.describeCorpus, { corpus: 'held' })).pending;
  await withClient(sources.database.url, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM parse_job ORDER BY document LIMIT 1 FOR UPDATE');
    const parsing = await sources.replica({ PARSE_LANES: '1' });
    try {
      await until(async () => (await pending()) === 1, { what: 'the other two to be parsed' });
      await client.query('COMMIT');
      await until(async () => (await pending()) === 0, { what: 'the held one to follow' });
    } finally {
      await parsing.stop();
    }
  });
}, 60_000);

test('two replicas share the files and the requests, and each file is parsed once', async () => {
  sources = await startSources();
  const second = await sources.replica();
  try {
    const names = Array.from({ length: 60 }, (_, i) => `file-${i}.txt`);
    await Promise.all(names.map((name) => sources.add('shared', name, `${name} on dredging`)));
    const documents = await sources.settled('shared', 60_000);
    expect([...documents.values()].every(({ status }) => status === 'ready')).toBe(true);
    const { total } = await sources.ask(contracts.search, { corpus: 'shared', query: 'dredging' });
    expect(total).toBe(60);
    const parsed = (output: string): number => output.split('"msg":"parsed"').length - 1;
    expect(parsed(sources.process.output()) + parsed(second.output())).toBe(60);
    expect(parsed(second.output())).toBeGreaterThan(0);
    expect(sources.process.output()).not.toContain('MaxListenersExceededWarning');
  } finally {
    await second.stop();
  }
}, 90_000);
