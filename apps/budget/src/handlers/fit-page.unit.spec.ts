import { fitPage } from './fit-page.js';

const events = [1, 2, 3].map((seq) => ({
  owner: 'budget',
  run: 'r',
  seq,
  at: '',
  type: 't',
  data: { text: 'é'.repeat(50) },
}));
const size = Buffer.byteLength(JSON.stringify(events[0]));
const seqs = (limit: number, bytes: number) => {
  const { events: page, next } = fitPage(events, limit, bytes);
  return [page.map(({ seq }) => seq), next];
};

it('L14: a page holds what fits by number and by bytes, one at least, and names its last as the next cursor', () => {
  expect(seqs(5, 10_000)).toEqual([[1, 2, 3], null]);
  expect(seqs(3, 10_000)).toEqual([[1, 2, 3], null]);
  expect(seqs(2, 10_000)).toEqual([[1, 2], 2]);
  expect(seqs(5, size * 2)).toEqual([[1, 2], 2]);
  expect(seqs(5, 1)).toEqual([[1], 1]);
});
