import { hostileDocuments } from '../chaos/documents.mjs';
import { PROVIDER_KINDS, SYSTEM_KINDS } from '../chaos/kinds.mjs';
import { readOptions } from '../chaos/options.mjs';
import { groupOf, planOf, SHAPES } from '../chaos/plan.mjs';

const SEEDS = Array.from({ length: 12 }, (_, i) => i * 7919 + 1);
const KINDS = [...Object.keys(SYSTEM_KINDS), ...Object.keys(PROVIDER_KINDS)].sort();

describe('the plan of a seed', () => {
  it('is the same for the same seed and minutes, and another for another seed', () => {
    expect(planOf({ seed: 5, minutes: 2 })).toEqual(planOf({ seed: 5, minutes: 2 }));
    expect(planOf({ seed: 6, minutes: 2 }).faults).not.toEqual(planOf({ seed: 5, minutes: 2 }).faults);
  });

  it.each(SEEDS)('reaches every kind of fault within a minute, by seed %i', (seed) => {
    const { faults } = planOf({ seed, minutes: 1 });
    expect([...new Set(faults.map(({ kind }) => kind))].sort()).toEqual(KINDS);
  });

  it.each(SEEDS)('lets every fault end in time, and no two of one group overlap, by seed %i', (seed) => {
    const { faults, windowMs } = planOf({ seed, minutes: 3 });
    expect(faults.length).toBeGreaterThan(100);
    const busyUntil = new Map<string, number>();
    for (const { kind, target, at, forMs } of faults) {
      const allowed = kind in SYSTEM_KINDS ? SYSTEM_KINDS[kind]?.targets : ['model'];
      expect(allowed).toContain(target);
      expect(at + forMs).toBeLessThanOrEqual(windowMs);
      const group = groupOf(target);
      expect(at).toBeGreaterThanOrEqual(busyUntil.get(group) ?? 0);
      busyUntil.set(group, at + forMs);
    }
  });

  it('keeps the other replica of a service whole, and one server at a time', () => {
    expect(groupOf('runtime-1')).toBe(groupOf('runtime-2>postgres'));
    expect(groupOf('runtime-1')).not.toBe(groupOf('budget-1'));
    expect(new Set(['nats', 'postgres', 'redis'].map(groupOf)).size).toBe(1);
  });

  it('starts runs of every shape all along: some are followed, asked twice, stopped; every document is uploaded', () => {
    const { runs, uploads, windowMs } = planOf({ seed: 3, minutes: 2 });
    expect(new Set(runs.map(({ shape }) => shape))).toEqual(new Set(SHAPES));
    expect(new Set(runs.map(({ key }) => key)).size).toBe(runs.length);
    for (const fate of ['followed', 'twice', 'cancelAfterMs'] as const)
      expect(runs.some((run) => run[fate])).toBe(true);
    expect(runs.at(-1)?.at).toBeGreaterThan(windowMs / 2);
    expect(uploads.map(({ name }) => name).sort()).toEqual(
      hostileDocuments()
        .map(({ name }) => name)
        .sort(),
    );
  });
});

describe('what the chaos may be told', () => {
  it('takes minutes and seed, and draws a seed where none is given', () => {
    expect(readOptions(['--minutes', '0.5', '--seed', '7'])).toMatchObject({ minutes: 0.5, seed: 7, planOnly: false });
    const drawn = readOptions([]);
    expect(drawn).toMatchObject({ minutes: 2, seed: expect.any(Number) });
    expect(readOptions(['--help'])).toBe('help');
  });

  it.each([
    [['--minutes', '0'], 'bad_minutes'],
    [['--minutes', 'x'], 'bad_minutes'],
    [['--minutes', ''], 'bad_minutes'],
    [['--seed', '0'], 'bad_seed'],
    [['--seed', '1.5'], 'bad_seed'],
    [['--loud'], 'bad_option'],
  ])('refuses %j as %s with a remedy', (args, code) => {
    expect(readOptions(args)).toEqual({ error: expect.stringMatching(new RegExp(`^${code}: .*\n  \\S`)) });
  });
});
