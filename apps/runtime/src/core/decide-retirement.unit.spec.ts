import { PlayedRun } from '../../test/played-run.js';
import { decideRetirement, residencyTarget, retireAll } from './decide-retirement.js';

const KIB = 1024;
const text = (bytes: number) => 'The fee is 0.35 % a year. '.repeat(Math.ceil(bytes / 26)).slice(0, bytes);

/** A completed request whose answer is empty: everything that stands has now been had once more. */
function pass(p: PlayedRun, turns = 1): void {
  for (let i = 0; i < turns; i += 1) {
    p.intend();
    p.settle({ empty: true });
  }
}
const items = (p: PlayedRun, target: number) =>
  decideRetirement(p.state, target, p.sizeOf)?.items.map((i) => i.action) ?? [];

describe('C3: which bodies retire', () => {
  it('C3: nothing retires at or under the target', () => {
    const p = new PlayedRun();
    const action = p.read(text(10 * KIB));
    pass(p);
    const entry = p.state.transcript.entries.find((e) => e.kind === 'turn')?.results[0];
    expect(entry?.action).toBe(action);
    expect(items(p, 11 * KIB)).toEqual([]);
    expect(items(p, 10 * KIB)).toEqual([action]);
  });

  it('C3: a body retires only after the model has had it in a completed request', () => {
    const p = new PlayedRun();
    p.read(text(20 * KIB));
    expect(items(p, KIB)).toEqual([]);
    p.intend();
    p.settle({ outcome: 'unknown', content: true });
    p.intend();
    p.settle({ outcome: 'failed', content: true });
    p.intend('summarize', undefined, { from: 1, to: 1, resultCap: 1 });
    p.settle();
    expect(items(p, KIB)).toEqual([]);
    pass(p);
    expect(items(p, KIB)).toEqual(['1.0']);
  });

  it('C3: longest unused first, large before small within a turn, and only down to the low-water mark', () => {
    const p = new PlayedRun();
    p.turn([
      { tool: 'read_range', text: text(4 * KIB) },
      { tool: 'read_range', text: text(12 * KIB) },
      { tool: 'read_range', text: text(8 * KIB) },
    ]);
    p.turn([{ tool: 'read_range', text: text(30 * KIB) }]);
    pass(p);
    expect(items(p, 50 * KIB)).toEqual(['1.1', '1.2']);
    expect(items(p, 44 * KIB)).toEqual(['1.1', '1.2', '1.0']);
    expect(items(p, 20 * KIB)).toEqual(['1.1', '1.2', '1.0', '2.0']);
  });

  it('C3: a body that was read back stays for the policy’s turns, then may go like any other', () => {
    const p = new PlayedRun();
    p.read(text(20 * KIB), 'read_back');
    for (let turn = 1; turn < p.policy.context.readBackTurns; turn += 1) {
      pass(p);
      expect(items(p, KIB)).toEqual([]);
    }
    pass(p);
    expect(items(p, KIB)).toEqual(['1.0']);
  });

  it('C3: a body no larger than its stub never retires', () => {
    const p = new PlayedRun();
    p.read('tiny');
    pass(p);
    expect(items(p, 0)).toEqual([]);
    expect(retireAll(p.state, p.sizeOf)).toBeNull();
  });

  it('C4: what retires names the ranges that the model has had: all of a body, or the head of a paged one', () => {
    const p = new PlayedRun();
    p.turn([
      { tool: 'read_range', text: text(9 * KIB) },
      { tool: 'read_range', text: text(8 * KIB) },
    ]);
    p.add({ type: 'ResultPaged', action: '1.1', headBytes: 2 * KIB });
    pass(p);
    expect(retireAll(p.state, p.sizeOf)?.items).toEqual([
      { action: '1.0', had: [[0, 9 * KIB]] },
      { action: '1.1', had: [[0, 2 * KIB]] },
    ]);
  });

  it('C3: the target is the smaller of the policy’s and half of what the hard limit leaves beside the floor', () => {
    const { policy } = new PlayedRun();
    expect(residencyTarget(policy, 400 * KIB, 20 * KIB)).toBe(190 * KIB);
    expect(residencyTarget(policy, 800 * KIB, 20 * KIB)).toBe(192 * KIB);
    expect(residencyTarget(policy, 10 * KIB, 20 * KIB)).toBe(0);
  });
});

describe('C3: a model that goes back to what it read', () => {
  /** A model with a small window: what is resident it uses, what became a stub it reads back, in pieces of 16 KiB. */
  class Reader {
    readonly backs = new Map<string, number>();
    /** Actions whose bodies now hold a document. */
    readonly holders = new Map<string, readonly string[]>();
    constructor(readonly p: PlayedRun) {}

    open(name: string, bytes: number): void {
      this.p.retire();
      this.holders.set(name, [this.p.read(text(bytes))]);
    }

    resident(name: string): boolean {
      return (this.holders.get(name) ?? []).every((action) => this.p.form(action) === 'full');
    }

    readBack(name: string, bytes: number): void {
      const pieces = [];
      for (let at = 0; at < bytes; at += 16 * KIB)
        pieces.push({ tool: 'read_back', text: text(Math.min(16 * KIB, bytes - at)) });
      this.p.retire();
      const turn = this.p.turn(pieces);
      this.holders.set(
        name,
        pieces.map((_, i) => `${turn}.${i}`),
      );
      this.backs.set(name, (this.backs.get(name) ?? 0) + 1);
    }

    /** Compares documents: they must all stand in one request. */
    compare(names: readonly string[], bytes: number): void {
      for (let tries = 0; ; tries += 1) {
        if (tries > 20) throw new Error('the model reads the same again and again');
        this.p.retire();
        const gone = names.find((n) => !this.resident(n));
        if (gone === undefined) break;
        this.readBack(gone, bytes);
      }
      pass(this.p);
    }
  }

  it('F-R2, C3: six documents of 20 KiB under 96 KiB of residency, compared pair by pair: each read again at most once', () => {
    const p = new PlayedRun({ overrides: { residencyBytes: 96 * KIB } });
    const reader = new Reader(p);
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    for (const name of names) reader.open(name, 20 * KIB);
    pass(p);
    for (const pair of [
      ['one', 'two'],
      ['three', 'four'],
      ['five', 'six'],
    ])
      reader.compare(pair, 20 * KIB);
    expect(reader.backs.size).toBeGreaterThan(0);
    for (const [name, times] of reader.backs) expect([name, times]).toEqual([name, 1]);
  });

  it('F-R1, C3: a body of 100,000 bytes, evicted and read back piece by piece: every piece stands when the model looks, no loop', () => {
    const p = new PlayedRun({ overrides: { residencyBytes: 40 * KIB } });
    const reader = new Reader(p);
    reader.open('long', 100_000);
    pass(p);
    p.retire();
    expect(reader.resident('long')).toBe(false);
    const starts: number[] = [];
    for (let start = 0; start < 100_000; start += 16 * KIB) {
      starts.push(start);
      p.retire();
      const action = p.read(text(Math.min(16 * KIB, 100_000 - start)), 'read_back');
      for (let look = 0; look < 2; look += 1) {
        p.retire();
        expect(p.form(action)).toBe('full');
        pass(p);
      }
    }
    expect(starts).toHaveLength(7);
  });
});
