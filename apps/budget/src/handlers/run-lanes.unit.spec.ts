import { RunLanes } from './run-lanes.js';

describe('lanes', () => {
  it('let one caller of a run work at a time, in the order of asking, also past one that throws', async () => {
    const lanes = new RunLanes();
    const seen: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = lanes.take('a', async () => {
      seen.push('first in');
      await gate.promise;
      seen.push('first out');
      throw new Error('broken');
    });
    const second = lanes.take('a', () => Promise.resolve(seen.push('second')));
    await lanes.take('b', () => Promise.resolve(seen.push('other run')));
    expect(seen).toEqual(['first in', 'other run']);
    gate.resolve();
    await expect(first).rejects.toThrow('broken');
    await second;
    expect(seen).toEqual(['first in', 'other run', 'first out', 'second']);
  });
});
