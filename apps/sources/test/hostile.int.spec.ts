import { sourcesContracts as contracts } from '@waymark/contracts/sources';
import { until, withClient } from '@waymark/testing';
import { bombPdf, busyPdf, deepPdf, endlessPdf, lockedPdf } from './hostile-pdf.js';
import { startSources, type SourcesService } from './sources-service.js';

let sources: SourcesService;
beforeAll(async () => {
  sources = await startSources({ PARSE_CPU_MS: '10000', PARSE_MEMORY_MIB: '384' });
}, 60_000);
afterAll(() => sources.stop());

const PLACES = ['harbour', 'airport', 'station', 'bridge', 'canal', 'tunnel'];
const GOODS = ['grain', 'steel', 'timber', 'coal', 'cotton'];

/** Some 8 KiB in English and Chinese; nearly every word of it stands in every other report, which is hard for search. */
function report(seed: number): string {
  const lines = Array.from({ length: 60 }, (_, i) => {
    const year = 1990 + ((seed + i) % 34);
    const goods = `${1000 + seed * i} tons of ${GOODS[(seed * 7 + i) % GOODS.length]}`;
    const sentence = `In ${year} the ${PLACES[(seed + i) % PLACES.length]} of district ${seed} moved ${goods}.`;
    return `${sentence} 第${seed}区的港口运输了大量货物，同比增长明显。\n`;
  });
  return `# Report ${seed}\n\n${lines.join('\n')}`;
}

/** Milliseconds of `times` searches, one after the other, ascending. */
async function searchTimes(times: number): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const english = `how many tons of ${GOODS[i % 5]} did the ${PLACES[i % 6]} of district ${i % 150} move`;
    const query = [english, '港口运输货物同比增长', '同比'][i % 3] ?? '';
    const startedAt = performance.now();
    const { hits } = await sources.ask(contracts.search, { corpus: 'ports', query });
    taken.push(performance.now() - startedAt);
    expect(hits.length).toBeGreaterThan(0);
  }
  return taken.sort((a, b) => a - b);
}
const percentile = (sorted: number[], share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;

const LIMIT_MS = 50;
/** A test cannot keep the machine to itself: a round that others disturbed is measured again. */
const ROUNDS = 3;

/** p99 of 200 searches alone and of 200 beside the parse of a hostile PDF. */
async function measure(round: number): Promise<{ alone: number; beside: number }> {
  const alone = percentile(await searchTimes(200), 0.99);
  await sources.add(`hostile-${round}`, 'busy.pdf', busyPdf());
  const isParsing = async (): Promise<boolean> =>
    await withClient(sources.database.url, async (client) => {
      return (await client.query('SELECT 1 FROM parse_job WHERE attempts > 0')).rowCount === 1;
    });
  await until(isParsing, { what: 'the parse to begin' });
  const beside = percentile(await searchTimes(200), 0.99);
  expect(await isParsing()).toBe(true); // all of them were beside it
  const documents = await sources.settled(`hostile-${round}`, 120_000);
  expect(documents.get('busy.pdf')).toMatchObject({ status: 'unreadable', reason: { code: 'timed_out' } });
  process.stdout.write(`search p99: alone ${alone.toFixed(1)} ms, beside a hostile PDF ${beside.toFixed(1)} ms\n`);
  return { alone, beside };
}

test('search p99 stays under 50 ms while a hostile PDF parses', async () => {
  await Promise.all(Array.from({ length: 150 }, (_, i) => sources.add('ports', `report-${i}.md`, report(i))));
  await sources.settled('ports', 120_000);
  await searchTimes(50);
  let measured = await measure(1);
  // Where search alone is slower than the limit the machine is too busy to tell; beside must then not be much worse.
  const passes = ({ alone, beside }: typeof measured): boolean => beside < Math.max(LIMIT_MS, 1.5 * alone);
  for (let round = 2; round <= ROUNDS && !passes(measured); round += 1) measured = await measure(round);
  expect(passes(measured)).toBe(true);
}, 400_000);

test('hostile files become unreadable by name and reason, and the rest goes on', async () => {
  await sources.add('bad', '1-bomb.pdf', bombPdf());
  await sources.add('bad', '2-deep.pdf', deepPdf());
  await sources.add('bad', '3-endless.pdf', endlessPdf());
  await sources.add('bad', '4-locked.pdf', lockedPdf());
  await sources.add('bad', '5-good.txt', 'still here');
  const documents = await sources.settled('bad', 120_000);
  expect([...documents.values()].map(({ name, reason }) => [name, reason?.code])).toEqual([
    ['1-bomb.pdf', 'out_of_memory'],
    ['2-deep.pdf', 'no_text'],
    ['3-endless.pdf', 'no_text'],
    ['4-locked.pdf', 'encrypted'],
    ['5-good.txt', undefined],
  ]);
  expect(documents.get('1-bomb.pdf')?.reason?.message).toBe('Reading the file meets its limit of 384.0 MiB of memory.');
  expect(sources.process.alive()).toBe(true);
}, 180_000);
