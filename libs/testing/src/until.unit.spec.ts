import { until } from './until.js';

describe('until', () => {
  it('returns the first truthy value and treats a throw as not yet', async () => {
    let asked = 0;
    const probe = (): string => {
      asked += 1;
      if (asked === 1) throw new Error('not connected');
      return asked === 3 ? 'ready' : '';
    };
    await expect(until(probe, { what: 'readiness', everyMs: 1 })).resolves.toBe('ready');
    expect(asked).toBe(3);
  });

  it('names what was awaited, for how long and what it saw last', async () => {
    const never = until(() => 0, { what: 'the run to end', timeoutMs: 20, everyMs: 5 });
    await expect(never).rejects.toThrow('waited 20 ms for the run to end; last value: 0');
    const failing = until(() => Promise.reject(new Error('no route')), { what: 'a reply', timeoutMs: 10, everyMs: 5 });
    await expect(failing).rejects.toThrow('for a reply; last error: Error: no route');
  });
});
