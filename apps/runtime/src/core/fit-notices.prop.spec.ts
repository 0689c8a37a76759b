import fc from 'fast-check';
import { REMINDER_TYPES, type Candidate, type ComposeReply } from '@waymark/contracts/reminder';
import { encodeFact, RENDERERS } from '@waymark/record';
import { PlayedRun } from '../../test/played-run.js';
import { fitNotices, NO_NOTICES, oneLine } from './fit-notices.js';

const candidate = (kind: Candidate['kind']) =>
  fc.record({
    type: fc.constantFrom(...REMINDER_TYPES),
    kind: fc.constant(kind),
    subject: fc.oneof(fc.constant('run'), fc.string({ unit: 'binary', minLength: 1, maxLength: 30 })),
    stage: fc.constantFrom(50, 75, 90),
    policyVersion: fc.constant(1),
    text: fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.constant('已用 20/40 次(含本次)。"\n\u2028\\'.repeat(6)),
      fc.constant('lone \ud800 surrogate\u0000'),
    ),
    basis: fc.record({ value: fc.nat(), limit: fc.nat(), unit: fc.constant('requests'), version: fc.nat() }),
  });
const QUIET = {
  exploreUsed: null,
  physicalUsed: null,
  activeMs: null,
  wallMs: null,
  contentBytes: null,
  runRevisions: null,
  blockRevisions: null,
  reviewExploreRequests: null,
  reviewMs: null,
  partlyReadSources: null,
};
const reply: fc.Arbitrary<ComposeReply> = fc.record({
  state: fc.array(candidate('state'), { maxLength: 9 }),
  advice: fc.array(candidate('advice'), { maxLength: 5 }),
  combined: fc.constant([]),
  rearmed: fc.constant([]),
  reviewCandidate: fc.constant(null),
  quietUntil: fc.constant(QUIET),
});
const room = fc.integer({ min: 0, max: 2048 });
const bytesOf = (text: string | null) => (text === null ? 0 : RENDERERS.openai.notices(text).length);

describe('which notices stand in the bytes', () => {
  it('R4, C16: their message with its comma never exceeds the notice room, in bytes as sent', () => {
    fc.assert(
      fc.property(reply, room, (r, bytes) => {
        expect(bytesOf(fitNotices(r, bytes).text)).toBeLessThanOrEqual(Math.max(bytes, 0));
      }),
    );
  });

  it('R7: each candidate stands in the bytes with key, stage and basis, or is recorded as omitted: none is lost, none twice', () => {
    fc.assert(
      fc.property(reply, room, (r, bytes) => {
        const { included, omitted, text } = fitNotices(r, bytes);
        expect(included.length + omitted.length).toBe(r.state.length + r.advice.length);
        expect(text === null ? 0 : text.split('\n').length).toBe(included.length);
        const lines = text?.split('\n') ?? [];
        const all = [...r.state, ...r.advice];
        let at = 0;
        for (const [i, line] of included.entries()) {
          while (at < all.length && oneLine(all[at]?.text ?? '') !== lines[i]) at += 1;
          expect(all[at]).toMatchObject({ type: line.type, kind: line.kind, stage: line.stage });
          expect([line.value, line.limit]).toEqual([all[at]?.basis.value, all[at]?.basis.limit]);
          at += 1;
        }
      }),
    );
  });

  it('R4, R7: state lines come first; advice takes only what they leave', () => {
    fc.assert(
      fc.property(reply, room, (r, bytes) => {
        const { included } = fitNotices(r, bytes);
        const kinds = included.map((n) => n.kind);
        expect(kinds).toEqual([...kinds].sort().reverse());
        const alone = fitNotices({ ...r, advice: [] }, bytes);
        expect(included.filter((n) => n.kind === 'state')).toEqual(alone.included);
      }),
    );
  });

  it('R14, R10: they stand at the end, in their own message, and the content before them is measured without them', () => {
    const p = new PlayedRun();
    p.read('a result');
    fc.assert(
      fc.property(reply, (r) => {
        const { text } = fitNotices(r, 2048);
        const with_ = p.text('explore', text);
        const without = p.text('explore', null);
        expect(with_.startsWith(without.slice(0, -2))).toBe(true);
        expect(Buffer.byteLength(with_) - bytesOf(text)).toBe(p.content());
      }),
      { numRuns: 50 },
    );
  });

  it('R8: whatever a source is called, the record of it can be written', () => {
    fc.assert(
      fc.property(reply, room, (r, bytes) => {
        expect(() =>
          encodeFact({ type: 'x', notices: fitNotices(r, bytes) } as { readonly type: string }),
        ).not.toThrow();
      }),
    );
  });
});

it('R14: yesterday’s notices are not in the next request', () => {
  const p = new PlayedRun();
  p.turn([{ tool: 'search', text: 'hits' }], 'x', 'explore', {
    ...NO_NOTICES,
    source: 'reminder',
    text: 'Explore requests: 20 of 40 used.',
  });
  expect(p.text('explore', null)).not.toContain('20 of 40');
  expect(p.text('explore', 'Explore requests: 21 of 40 used.').match(/\[Notices\]\\n/g)).toHaveLength(1);
});
