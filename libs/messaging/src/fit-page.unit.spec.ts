import { Buffer } from 'node:buffer';
import { MAX_BODY_BYTES } from '@waymark/contracts/wire';
import { fitPage } from './fit-page.js';

const item = (seq: number, text = '') => ({ seq, text });
const cursorOf = ({ seq }: { seq: number }) => seq;

it('L14: a page names the cursor of its last item while there is more', () => {
  const found = [item(4), item(5), item(6)];
  expect(fitPage(found, 2, cursorOf)).toEqual({ items: [item(4), item(5)], next: 5 });
  expect(fitPage(found, 3, cursorOf)).toEqual({ items: found, next: null });
  expect(fitPage([], 3, cursorOf)).toEqual({ items: [], next: null });
});

it('L14: a page ends before it outgrows a message, as it is sent, but holds at least one item', () => {
  const large = [1, 2, 3, 4].map((seq) => item(seq, '\0'.repeat(32 * 1024)));
  const { items, next } = fitPage(large, 10, cursorOf);
  expect(items.map(cursorOf)).toEqual([1, 2]);
  expect(next).toBe(2);
  expect(Buffer.byteLength(JSON.stringify({ items, next }))).toBeLessThanOrEqual(MAX_BODY_BYTES);
  const chinese = [1, 2, 3].map((seq) => item(seq, '长'.repeat(70 * 1024)));
  expect(fitPage(chinese, 10, cursorOf)).toMatchObject({ items: chinese.slice(0, 2), next: 2 });
  expect(fitPage(chinese, 10, cursorOf, 200 * 1024)).toMatchObject({ items: chinese.slice(0, 1), next: 1 });
  expect(fitPage([item(1, 'x'.repeat(MAX_BODY_BYTES)), item(2)], 10, cursorOf)).toMatchObject({ next: 1 });
});
