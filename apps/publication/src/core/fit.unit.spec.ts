import { INLINE_BYTES, MAX_BODY_BYTES } from '@waymark/contracts/wire';
import { fitPage, fitReport, jsonBytes } from './fit.js';

const item = (seq: number, text = '') => ({ seq, text });
const cursorOf = ({ seq }: { seq: number }) => seq;

describe('fitting replies', () => {
  it('L14: a page names the cursor of its last item while there is more', () => {
    const found = [item(4), item(5), item(6)];
    expect(fitPage(found, 2, cursorOf)).toEqual({ items: [item(4), item(5)], next: 5 });
    expect(fitPage(found, 3, cursorOf)).toEqual({ items: found, next: null });
    expect(fitPage([], 3, cursorOf)).toEqual({ items: [], next: null });
  });

  it('L14: a page ends before it outgrows a message, but holds at least one item', () => {
    const large = [1, 2, 3, 4].map((seq) => item(seq, '\0'.repeat(32 * 1024)));
    const { items, next } = fitPage(large, 10, cursorOf);
    expect(items.map(cursorOf)).toEqual([1, 2]);
    expect(next).toBe(2);
    expect(jsonBytes({ items, next })).toBeLessThanOrEqual(MAX_BODY_BYTES);
    expect(fitPage([item(1, 'x'.repeat(MAX_BODY_BYTES)), item(2)], 10, cursorOf)).toMatchObject({ next: 1 });
  });

  it('P7: report and rendering ride on one message when each is under 256 KiB, and are never cut', () => {
    expect(fitReport(1000, 1000)).toEqual({ report: 'inline', rendered: 'inline' });
    expect(fitReport(1000, INLINE_BYTES)).toEqual({ report: 'inline', rendered: 'stored' });
    expect(fitReport(INLINE_BYTES, 1000)).toEqual({ report: 'left_out', rendered: 'inline' });
    expect(fitReport(1000, null)).toEqual({ report: 'inline', rendered: 'none' });
    expect(fitReport(INLINE_BYTES, null)).toEqual({ report: 'stored', rendered: 'none' });
  });
});
