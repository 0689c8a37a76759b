import fc from 'fast-check';
import { PlayedRun, utf8 } from '../../test/played-run.js';
import { readBackTool } from './read-back.js';
import type { RunContext } from './run-context.js';

/** What reading back needs of a run: its folded state and its stored bodies. */
const contextOf = (p: PlayedRun) =>
  ({
    state: p.state,
    bodies: { load: () => Promise.resolve(), get: p.lookup },
  }) as unknown as RunContext;

interface Head {
  readonly start: number;
  readonly end: number;
  readonly total: number;
  readonly more: boolean;
}
async function read(p: PlayedRun, start: number, end?: number) {
  const args = { locator: 'result:1.0', start, ...(end === undefined ? {} : { end }) };
  const result = await readBackTool(contextOf(p), args);
  const at = result.text.indexOf('\n');
  return { result, head: JSON.parse(result.text.slice(0, at)) as Head, text: result.text.slice(at + 1) };
}
const stored = (text: string): PlayedRun => {
  const p = new PlayedRun();
  p.read(text);
  return p;
};

describe('C4, C5: reading a stored result back', () => {
  it('F-R1, C5: five lines of 20,000 characters: byte ranges, offsets strictly grow, every byte comes once, and it ends', async () => {
    const text = Array.from({ length: 5 }, (_, i) => `${i}`.repeat(20_000)).join('\n');
    const p = stored(text);
    const pieces: string[] = [];
    for (let start = 0, more = true; more;) {
      const { head, text: piece } = await read(p, start);
      expect(head.start).toBe(start);
      expect(head.end).toBeGreaterThan(start);
      expect(head.total).toBe(utf8(text));
      pieces.push(piece);
      [start, more] = [head.end, head.more];
      expect(pieces.length).toBeLessThan(20);
    }
    expect(pieces.join('')).toBe(text);
    expect(Math.max(...pieces.map(utf8))).toBeLessThanOrEqual(16 * 1024);
  });

  it('C5: what is read back of a source’s text counts as that range of the source', async () => {
    const p = new PlayedRun();
    const range = { locator: 'doc:1', name: 'a.txt', start: 100, end: 190, total: 500 };
    p.read(`${'h'.repeat(9)}\n${'x'.repeat(90)}`, 'read_range', { range });
    expect((await read(p, 0, 40)).result.range).toEqual({ ...range, start: 100, end: 130 });
    expect((await read(p, 40, 60)).result.range).toEqual({ ...range, start: 130, end: 150 });
    expect((await read(p, 0, 8)).result.range).toBeUndefined();
  });

  it('C13, F-R6: whatever the range, whole characters only, at least one, and never the same place again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', 'é', '费', '😀', '\n'), minLength: 1, maxLength: 60 }),
        fc.nat({ max: 240 }),
        fc.nat({ max: 8 }),
        async (text, at, length) => {
          const start = at % utf8(text);
          const { head, text: piece } = await read(stored(text), start, start + 1 + length);
          expect(piece.includes('\ufffd')).toBe(false);
          expect(Buffer.from(text).subarray(head.start, head.end).toString()).toBe(piece);
          expect(head.start).toBeLessThanOrEqual(start);
          expect(head.end).toBeGreaterThan(start);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('C5: a range past the end and a locator that names no result get a clear answer', async () => {
    const p = stored('short');
    const past = await readBackTool(contextOf(p), { locator: 'result:1.0', start: 6 });
    expect([past.outcome, past.code]).toEqual(['failed', 'range_outside']);
    for (const locator of ['result:9.0', 'result:../x', 'result:1', 'doc:1', 'result:']) {
      const none = await readBackTool(contextOf(p), { locator });
      expect([locator, none.code]).toEqual([locator, 'unknown_locator']);
    }
  });

  it('C2: also a result that failed or is empty can be read back', async () => {
    const { head, result } = await read(stored(''), 0);
    expect([result.outcome, head]).toEqual([
      'ok',
      expect.objectContaining({ start: 0, end: 0, total: 0, more: false }),
    ]);
  });
});
