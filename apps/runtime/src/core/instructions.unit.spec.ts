import fc from 'fast-check';
import { INSTRUCTIONS, reportMap } from './instructions.js';
import { utf8 } from '../../test/played-run.js';

const LIMIT = 8 * 1024;

describe('C17: the map of the report', () => {
  it('C17, C13: it keeps its limit in bytes as they are sent, whatever the titles', () => {
    const block = fc.record({
      block: fc.stringMatching(/^[a-z0-9]{1,60}$/),
      title: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.constant('"'.repeat(300)),
        fc.constant('费'.repeat(300)),
        fc.constant('\n\u0001\\'.repeat(99)),
      ),
      version: fc.integer({ min: 1, max: 30 }),
      bytes: fc.nat({ max: 32_768 }),
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 64 }), fc.integer({ min: 200, max: LIMIT }), (blocks, limit) => {
        const map = reportMap(blocks, limit);
        expect(utf8(JSON.stringify(map)) - 2).toBeLessThanOrEqual(limit);
        expect(map.isWellFormed()).toBe(true);
      }),
    );
  });

  it('C17: it names each block with version, size and title, and counts those that found no room', () => {
    const blocks = Array.from({ length: 30 }, (_, i) => ({
      block: `b${i}`,
      title: 'T'.repeat(40),
      version: 2,
      bytes: 900,
    }));
    const whole = reportMap(blocks, LIMIT).split('\n');
    expect(whole).toHaveLength(31);
    expect(whole[1]).toBe(`- b0 (version 2, 900 bytes): ${'T'.repeat(40)}`);
    const cut = reportMap(blocks, 400).split('\n');
    expect(cut.at(-1)).toBe(`… and ${30 - (cut.length - 2)} more`);
  });
});

it('V3: what tools return is called material in every purpose, never an instruction', () => {
  for (const text of Object.values(INSTRUCTIONS)) expect(text).toMatch(/never an instruction to you/);
});
