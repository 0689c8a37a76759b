import { sourcesContracts as contracts } from '@waymark/contracts/sources';
import { startSources, type SourcesService } from './sources-service.js';

let sources: SourcesService;
beforeAll(async () => {
  sources = await startSources();
  const filler = (about: string): string =>
    `${about}一般情况说明，与问题无关。General remarks on ${about}.\n\n`.repeat(30);
  const texts: Record<string, string> = {
    'cars.md': `${filler('背景')}去年中国新能源汽车出口量达到120.3万辆，同比增长77.6%。\n\n${filler('其他')}`,
    'ships.md': `${filler('船舶')}船舶出口有所下降，汽车运输船订单增加。\n\n${filler('港口')}`,
    'income.txt': `${filler('Accounts')}Net income of the company was 4.5 million in 2023.\n\n${filler('Auditing')}`,
    'nets.txt': `${filler('Fishing')}Income from nets rose; net of tax the income fell in 2023.\n\n${filler('Boats')}`,
    'people.txt': `${filler('Staff')}Dr. Hastings heads the Tesla Model 3 programme in 上海, said O'Brien.\n\n`,
  };
  for (const [name, text] of Object.entries(texts)) await sources.add('mixed', name, text);
  await sources.add('neighbour', 'cars.txt', '新能源汽车出口 net income hastings');
  await sources.settled('mixed');
  await sources.settled('neighbour');
}, 90_000);
afterAll(() => sources.stop());

async function best(query: string, corpus = 'mixed'): Promise<{ name: string; excerpt: string; total: number }> {
  const { hits, total } = await sources.ask(contracts.search, { corpus, query });
  return { name: hits[0]?.name ?? 'nothing', excerpt: hits[0]?.excerpt ?? '', total };
}

test.each(['能源', '新能源汽车', '汽车出口量', '中国2023年新能源汽车的出口量是多少？'])(
  'a Chinese word in mid-sentence is found and ranked: %s',
  async (query) => {
    const { name, excerpt } = await best(query);
    expect(name).toBe('cars.md');
    expect(excerpt).toContain('新能源汽车出口量达到120.3万辆');
  },
);

test.each(['增', '120.3', '77.6%', '出口 120.3 万辆'])('a single character or a figure is found: %s', async (query) => {
  expect((await best(query)).name).toBe('cars.md');
});

test('English is found in all forms of a word, names as they are written', async () => {
  expect((await best('companies and their incomes')).name).toBe('income.txt');
  expect((await best('HASTINGS')).name).toBe('people.txt');
  expect((await best('tesla model 3 上海')).name).toBe('people.txt');
});

test('the exact phrase stands first', async () => {
  expect((await best('net income')).name).toBe('income.txt');
  expect((await best('"income from nets" in 2023')).name).toBe('nets.txt');
});

test('a long question finds passages that hold some of it', async () => {
  const question = `I would like to know, please, whether anybody has ever written down what exactly the net income
    of that company was in the year 2023, and how it compares with prior decades of zeppelin manufacture.`;
  expect((await best(question)).name).toBe('income.txt');
});

test('a hit names a range that reads back as the passage', async () => {
  const { hits } = await sources.ask(contracts.search, { corpus: 'mixed', query: '新能源汽车', limit: 1 });
  expect(hits).toHaveLength(1);
  const { locator, start, end } = hits[0]!;
  const part = await sources.ask(contracts.readRange, { corpus: 'mixed', locator, start, end });
  expect(part).toMatchObject({ start, end });
  expect(part.text).toContain('新能源汽车');
});

test('one corpus never shows another', async () => {
  const { hits, total } = await sources.ask(contracts.search, { corpus: 'neighbour', query: 'net income 汽车' });
  expect(new Set(hits.map(({ name }) => name))).toEqual(new Set(['cars.txt']));
  expect(total).toBe(1);
});

test.each([
  '?!… — 。，',
  "'; DROP TABLE document; --",
  "''''",
  '\\',
  '\0',
  '\ud800',
  '& | ! <-> :*',
  'zeppelin',
  'the',
])('an odd query has a clear result: %j', async (query) => {
  const result = await sources.ask(contracts.search, { corpus: 'mixed', query });
  expect(result.hits.length).toBeLessThanOrEqual(result.total);
});

test('a query of punctuation finds nothing, one of stop words finds what there is', async () => {
  expect(await sources.ask(contracts.search, { corpus: 'mixed', query: '?!。' })).toEqual({
    query: '?!。',
    hits: [],
    total: 0,
  });
  expect((await best('of the')).total).toBeGreaterThan(0);
});

test('a corpus of one byte, one without a readable document, and none at all', async () => {
  await sources.add('byte', 'x.txt', 'x');
  await sources.add('blank', 'x.txt', '');
  await sources.settled('byte');
  expect((await best('x', 'byte')).excerpt).toBe('x');
  expect(await best('x', 'blank')).toEqual({ name: 'nothing', excerpt: '', total: 0 });
  const refusal = await sources.refusal(contracts.search, { corpus: 'nobody', query: 'x' });
  expect(refusal).toMatchObject({ code: 'unknown_corpus', remedy: expect.any(String) });
  expect(await sources.refusal(contracts.search, { corpus: 'byte', query: '' })).toMatchObject({
    code: 'invalid_field',
  });
});
