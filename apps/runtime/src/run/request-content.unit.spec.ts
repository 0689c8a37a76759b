import { createHash } from 'node:crypto';
import { PART_KINDS, partsOf } from '@waymark/record';
import { PlayedRun } from '../../test/played-run.js';
import type { BodyCache } from './body-cache.js';
import { RequestContent } from './request-content.js';

const contentOf = (p: PlayedRun) =>
  new RequestContent(p.admitted, { load: () => Promise.resolve(), get: p.lookup } as unknown as BodyCache);
const longRun = (): PlayedRun => {
  const p = new PlayedRun();
  p.turn([
    { tool: 'read_range', text: '费率 0.35 %\n'.repeat(90) },
    { tool: 'search', text: 'hits' },
  ]);
  p.intend();
  p.settle({ empty: true });
  p.read('x'.repeat(4000));
  p.add({ type: 'ResultsRetired', reason: 'residency', items: [{ action: '1.0', had: [[0, 1000]] }] });
  p.add({
    type: 'VerdictHeard',
    inbox: 1,
    review: 'r1',
    outcome: 'revise',
    code: null,
    advice: p.put('Mind the fees.'),
  });
  return p;
};

describe('the bytes of a request', () => {
  it('E1, C13: its parts’ bytes add up to exactly the bytes sent, and its digest is theirs', async () => {
    const p = longRun();
    const { body, digest, sizes } = await contentOf(p).serialize(p.state.transcript, 'explore', 'One notice.');
    expect(sizes.reduce((a, b) => a + b, 0)).toBe(body.length);
    expect(digest).toBe(createHash('sha256').update(body).digest('hex'));
    expect(body.toString()).toBe(p.text('explore', 'One notice.'));
    const named = Object.fromEntries(PART_KINDS.map((kind, i) => [kind, sizes[i]]));
    expect(named['tools']).toBeGreaterThan(1000);
    for (const kind of ['frame', 'instructions', 'question', 'turns', 'results', 'stubs', 'advice', 'notices'])
      expect([kind, (named[kind] ?? 0) > 0]).toEqual([kind, true]);
    expect(named['summaries']).toBe(0);
  });

  it('R14: what stands before the notices is equal, byte for byte, to the request before, until something leaves', async () => {
    const p = longRun();
    const content = contentOf(p);
    const first = await content.serialize(p.state.transcript, 'explore', 'Stage 50.');
    const before = await content.serialize(p.state.transcript, 'explore', null);
    p.read('more');
    const second = await content.serialize(p.state.transcript, 'explore', 'Stage 75.');
    const stable = before.body.subarray(0, -2);
    expect(first.body.subarray(0, stable.length).equals(stable)).toBe(true);
    expect(second.body.subarray(0, stable.length).equals(stable)).toBe(true);
    expect(second.body.toString()).not.toContain('Stage 50.');
  });

  it('E3: a body’s memory is written over only after it was released, and the next body is whole whatever stood there', async () => {
    const p = longRun();
    const content = contentOf(p);
    const first = await content.serialize(p.state.transcript, 'explore', 'A notice that is longer than the next.');
    const firstText = first.body.toString();
    const second = await content.serialize(p.state.transcript, 'explore', null);
    expect(first.body.toString()).toBe(firstText);
    expect(second.body.buffer).not.toBe(first.body.buffer);
    content.release(first.body);
    p.read('more');
    const third = await content.serialize(p.state.transcript, 'explore', 'Short.');
    expect(third.body.buffer).toBe(first.body.buffer);
    expect(third.body.toString()).toBe(p.text('explore', 'Short.'));
    expect(third.digest).toBe(createHash('sha256').update(third.body).digest('hex'));
    content.release(third.body);
    p.read('y'.repeat(100_000));
    const fourth = await content.serialize(p.state.transcript, 'explore', null);
    expect(fourth.body.buffer).not.toBe(third.body.buffer);
    expect(fourth.body.toString()).toBe(p.text('explore', null));
  });

  it('C15: a part is rendered once while it stands, and forgotten when it left', async () => {
    const p = longRun();
    let asked = 0;
    const get: BodyCache['get'] = (ref) => {
      asked += 1;
      return p.lookup(ref);
    };
    const counting = new RequestContent(p.admitted, { load: () => Promise.resolve(), get } as unknown as BodyCache);
    await counting.serialize(p.state.transcript, 'explore', null);
    asked = 0;
    await counting.serialize(p.state.transcript, 'explore', 'Notice.');
    expect(asked).toBe(0);
    p.read('one more');
    await counting.serialize(p.state.transcript, 'explore', null);
    expect(asked).toBeLessThanOrEqual(4);
    const gone = partsOf(p.state.transcript).find((part) => part.id === 'r3.0f');
    p.add({ type: 'FloorBuilt', map: p.put('Blocks published (0):') });
    await counting.refresh(p.state.transcript);
    expect(gone && counting.sizeOf(gone)).toBe(0);
  });
});
