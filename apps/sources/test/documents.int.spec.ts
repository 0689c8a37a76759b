import { sourcesContracts as contracts } from '@waymark/contracts/sources';
import { startSources, type SourcesService } from './sources-service.js';

let sources: SourcesService;
beforeAll(async () => (sources = await startSources()), 60_000);
afterAll(() => sources.stop());

test('smoke', async () => {
  await sources.add(
    'one',
    'notes.md',
    '# Harbour\n\nThe harbour moved 1,234,567 tons in 2023.\n\n中国新能源汽车出口增长很快。\n',
  );
  const documents = await sources.settled('one');
  console.log(documents);
  console.log(await sources.ask(contracts.search, { corpus: 'one', query: 'how many tons did harbours move?' }));
  console.log(await sources.ask(contracts.search, { corpus: 'one', query: '能源' }));
  console.log(await sources.ask(contracts.readRange, { corpus: 'one', locator: documents.get('notes.md')!.locator }));
}, 60_000);
