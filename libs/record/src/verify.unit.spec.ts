import { RecordBuilder, sha256 } from '../test/build-record.js';
import { encodeFact, genesisHash, linkHash, type AnyFact } from './index.js';
import type { StoredRow } from './verify.js';
import { verifyRecord } from './verify.js';

const verify = (b: RecordBuilder, rows: readonly StoredRow[] = b.rows, log: RecordBuilder['log'] | null = b.log) =>
  verifyRecord(b.run, rows, (d) => b.bodies.get(d), log, sha256);

const flip = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

describe('E3, R8: proof from the stored record and the provider’s log alone', () => {
  it('finds nothing wrong with a whole run, and every submitted reminder in the bytes that arrived', () => {
    const result = verify(new RecordBuilder().sample());
    expect(result.findings).toEqual([]);
    expect(result).toMatchObject({ requests: 6, rebuilt: 6, arrived: 6, reminders: 3, unchecked: [] });
  });

  it('L3: one flipped byte in any row fails by its sequence', () => {
    const b = new RecordBuilder().sample();
    for (const [i, row] of b.rows.entries()) {
      const rows = b.rows.map((r) => (r === row ? { ...r, body: flip(r.body, Math.floor(r.body.length / 2)) } : r));
      expect(verify(b, rows).findings).toContainEqual(
        expect.objectContaining({ check: 'chain', where: `seq ${i + 1}` }),
      );
    }
  });

  it('L3: a gap and a duplicate fail by sequence', () => {
    const b = new RecordBuilder().sample();
    expect(
      verify(
        b,
        b.rows.filter((r) => r.seq !== 4),
      ).findings,
    ).toContainEqual(expect.objectContaining({ check: 'order', where: 'seq 5' }));
    const twice = b.rows.flatMap((r) => (r.seq === 4 ? [r, r] : [r]));
    expect(verify(b, twice).findings).toContainEqual(expect.objectContaining({ check: 'order', where: 'seq 4' }));
  });

  it('one flipped byte in any request of the log fails by its number', () => {
    const b = new RecordBuilder().sample();
    for (const [i, call] of b.log.entries()) {
      const log = b.log.map((c) => (c === call ? { ...c, body: flip(c.body, c.body.length - 5) } : c));
      expect(verify(b, b.rows, log).findings).toContainEqual(
        expect.objectContaining({ check: 'changed_request', where: `request ${i + 1}` }),
      );
    }
  });

  it('a missing and an extra request fail by name', () => {
    const b = new RecordBuilder().sample();
    for (let i = 0; i < b.log.length; i += 1) {
      const without = b.log.filter((_, at) => at !== i);
      expect(verify(b, b.rows, without).findings).toContainEqual(expect.objectContaining({ check: 'missing_request' }));
    }
    const more = [...b.log, { id: `${b.run}/99`, body: new Uint8Array([1]) }];
    expect(verify(b, b.rows, more).findings).toEqual([
      expect.objectContaining({ check: 'extra_request', where: 'log entry 7' }),
    ]);
    const again = [...b.log, ...b.log.slice(0, 1)];
    expect(verify(b, b.rows, again).findings).toEqual([
      expect.objectContaining({ check: 'extra_request', what: 'request 1 arrived twice' }),
    ]);
  });

  it.each(['/01', '/0x1', '/1e0', '/ 1', '/+1', '/1.0', '5/1'])(
    'E3: an id that was never sent is not taken for one that was: <run>%s',
    (tail) => {
      const b = new RecordBuilder().sample();
      const [first, ...rest] = b.log;
      const log = [{ id: `${b.run}${tail}`, body: first?.body ?? new Uint8Array() }, ...rest];
      expect(verify(b, b.rows, log).findings.map((f) => [f.check, f.where])).toEqual([
        ['extra_request', 'log entry 1'],
        ['missing_request', 'request 1 (seq 2)'],
      ]);
    },
  );

  it.each(['upper', ' ', '\t'])(
    'E3: an id that names this run in other letters or after a blank was never sent: %j',
    (how) => {
      const b = new RecordBuilder('01890000-0000-7000-8000-0000000000ab').sample();
      const [first, ...rest] = b.log;
      const id = how === 'upper' ? `${b.run.toUpperCase()}/1` : `${how}${b.run}/1`;
      const findings = verify(b, b.rows, [{ id, body: first?.body ?? new Uint8Array() }, ...rest]).findings;
      expect(findings.map((f) => f.check)).toEqual(['extra_request', 'missing_request']);
      const more = verify(b, b.rows, [...b.log, { id, body: new Uint8Array([1]) }]).findings;
      expect(more).toEqual([expect.objectContaining({ check: 'extra_request', where: 'log entry 7' })]);
    },
  );

  it('a stored body that was changed or erased is named, and the rest is still checked', () => {
    const b = new RecordBuilder().sample();
    const [first] = [...b.bodies.keys()].slice(-1);
    b.bodies.set(first ?? '', new Uint8Array([7]));
    const changed = verify(b);
    expect(changed.findings.length).toBeGreaterThan(0);
    expect(changed.findings.every((f) => f.check === 'body')).toBe(true);
  });

  it('without a log it says what it could not check', () => {
    const result = verify(new RecordBuilder().sample(), undefined, null);
    expect(result.findings).toEqual([]);
    expect(result.arrived).toBeNull();
    expect(result.unchecked.length).toBe(2);
  });

  it('R8: a reminder that is recorded as submitted and did not stand in the bytes is found', () => {
    const b = new RecordBuilder();
    const body = b.send('Explore requests: 20 of 40 used.');
    b.answer('ok');
    const text = new TextDecoder().decode(body).replace('20 of 40', '10 of 40');
    const log = [{ id: `${b.run}/1`, body: new TextEncoder().encode(text) }];
    expect(verify(b, b.rows, log).findings).toContainEqual(
      expect.objectContaining({ check: 'reminder', where: 'request 1' }),
    );
  });

  it('C11: the adopted summary is proven to stand in the following requests', () => {
    const b = new RecordBuilder().sample();
    const log = b.log.map((c, i) =>
      i === 5 ? { ...c, body: new TextEncoder().encode(new TextDecoder().decode(c.body).replace('0.35', '0.53')) } : c,
    );
    expect(verify(b, b.rows, log).findings).toContainEqual(
      expect.objectContaining({ check: 'summary', where: 'request 6' }),
    );
  });

  it('C11, C17: a summary stands until the first floor after it, however many floors follow', () => {
    const b = new RecordBuilder();
    b.send();
    b.answer('I read.', ['first result']);
    b.send();
    b.answer('More.', ['second result']);
    b.send();
    b.answer('Third.', ['third result']);
    b.summarize(1, 2);
    const text = 'Notes: the first fund costs 0.35 %.';
    b.answer(text, [], false);
    const summary = { type: 'SummaryAdopted', summary: 1, from: 1, to: 2, request: 4, text: b.put(text) } as const;
    b.add({ ...summary, bytesBefore: 2000, bytesAfter: 1000 });
    b.send();
    b.answer('With it.', ['fourth result']);
    for (const map of ['Section 1.', 'Sections 1 and 2.']) {
      b.add({ type: 'FloorBuilt', map: b.put(map) });
      b.send();
      b.answer('Without it.', ['another result']);
    }
    expect(verify(b, b.rows, b.log).findings).toEqual([]);
    const lost = b.log.map((call, i) =>
      i === 4
        ? { ...call, body: new TextEncoder().encode(new TextDecoder().decode(call.body).replace('0.35', '0.53')) }
        : call,
    );
    expect(verify(b, b.rows, lost).findings).toContainEqual(
      expect.objectContaining({ check: 'summary', where: 'request 5' }),
    );
  });

  it('whoever takes any one value out of a fact and mends the chain does not break the proof; a missing notice is named', () => {
    const b = new RecordBuilder().sample();
    const chained = (rows: readonly StoredRow[]): StoredRow[] => {
      let hash = genesisHash(sha256, b.run);
      return rows.map((row) => ({ ...row, hash: (hash = linkHash(sha256, hash, row)) }));
    };
    let tried = 0;
    for (const [i, row] of b.rows.entries()) {
      const paths = pathsIn(JSON.parse(new TextDecoder().decode(row.body)));
      for (const path of paths) {
        const fact = JSON.parse(new TextDecoder().decode(row.body)) as AnyFact;
        removeAt(fact, path);
        const forged = b.rows.with(i, { ...row, body: encodeFact(fact) });
        tried += 1;
        const { findings } = verify(b, chained(forged));
        if (row.kind === 'RequestIntended' && path.join('.') === 'notices.text') {
          expect(findings).not.toEqual([]);
        }
      }
    }
    expect(tried).toBeGreaterThan(300);
  });

  /** The record with some facts changed, hashed again as a forger would. */
  function forged(b: RecordBuilder, change: (facts: Forged[]) => readonly Forged[]): StoredRow[] {
    const facts = b.rows.map(({ body }) => JSON.parse(new TextDecoder().decode(body)) as Forged);
    let hash = genesisHash(sha256, b.run);
    return change(facts).map((fact, i) => {
      const row = { seq: i + 1, epoch: 1, kind: fact.type, body: encodeFact(fact) };
      return { ...row, hash: (hash = linkHash(sha256, hash, row)) };
    });
  }
  const whatIn = (b: RecordBuilder, change: (facts: Forged[]) => readonly Forged[]): string[] =>
    verify(b, forged(b, change)).findings.map(({ what }) => what);
  /** Changes the first fact of a type that is like it. */
  const first =
    (type: string, like: (fact: Forged) => boolean, change: (fact: Forged) => object) => (all: Forged[]) => {
      const at = all.findIndex((fact) => fact.type === type && like(fact));
      return all.with(at, { ...all[at], ...change(all[at] as Forged) } as Forged);
    };
  const twice = (type: string) => (all: Forged[]) =>
    all.flatMap((fact, i) => (i === all.findIndex((one) => one.type === type) ? [fact, fact] : [fact]));

  it('R7: a reminder that is recorded as submitted and is no line of the notices is named, and so is a line without one', () => {
    const b = new RecordBuilder().sample();
    const told = (fact: Forged) => fact.notices?.text !== null;
    const included = (change: (lines: readonly object[]) => readonly object[]) =>
      whatIn(
        b,
        first('RequestIntended', told, ({ notices }) => ({
          notices: { ...notices, included: change(notices?.included ?? []) },
        })),
      );
    expect(included((lines) => lines)).toEqual([]);
    expect(included((lines) => [...lines, { ...lines[0], type: 'finish_reserve' }])).toEqual([
      expect.stringMatching(/^its intent names \d reminders, and its notices have \d lines?$/),
    ]);
    expect(included((lines) => lines.slice(1))).toHaveLength(1);
  });

  it('L1, L3: a fact that is told twice, or is called by another name, is named though the chain was mended', () => {
    const b = new RecordBuilder().sample();
    expect(whatIn(b, (all) => all)).toEqual([]);
    expect(whatIn(b, twice('RunAdmitted'))).toContain('a record begins with the one admission of its run');
    expect(whatIn(b, twice('RequestIntended'))).toContain('request 1 is intended twice');
    expect(whatIn(b, twice('RequestSettled'))).toContain('request 1 is settled, and none such is open');
    expect(whatIn(b, twice('ActionSettled'))).toContainEqual(expect.stringMatching(/^action .* is settled twice$/));
    const end = { type: 'RunEnded', outcome: 'completed', code: 'finished' } as Forged;
    expect(whatIn(b, (all) => [...all, end])).toEqual(['it stands after the end of the run']);
    const lost = (all: Forged[]) =>
      all.filter((_, i) => i !== all.findLastIndex(({ type }) => type === 'RequestSettled'));
    expect(whatIn(b, lost)).toContainEqual(expect.stringMatching(/^the run ends, and nothing says/));
    const renamed = b.rows.map((row, i) => (i === 1 ? { ...row, kind: 'RequestSettled' } : row));
    let hash = genesisHash(sha256, b.run);
    const chained = renamed.map((row) => ({ ...row, hash: (hash = linkHash(sha256, hash, row)) }));
    expect(verify(b, chained).findings).toEqual([
      expect.objectContaining({ what: 'the row is called RequestSettled, and its body is RequestIntended' }),
    ]);
  });

  it('B3, R8: sizes, deliveries and “nothing was sent” must agree with the bytes, the outcome and the log', () => {
    const b = new RecordBuilder().sample();
    const any = () => true;
    expect(
      whatIn(
        b,
        first('RequestIntended', any, ({ bytes = 0 }) => ({ bytes: bytes + 1 })),
      ),
    ).toEqual([expect.stringMatching(/^it has \d+ bytes, the intent says \d+$/)]);
    expect(
      whatIn(
        b,
        first('RequestSettled', any, () => ({ delivery: 'rejected' })),
      ),
    ).toEqual(['request 1 is called rejected; its outcome makes it submitted']);
    const unsent = { outcome: 'not_sent', content: false, delivery: 'rejected', actions: [] };
    expect(
      whatIn(
        b,
        first('RequestSettled', any, () => unsent),
      ),
    ).toContain('it arrived, and the record says that none of it was sent');
    const question = (fact: Forged) => ({ question: { ...fact.question, bytes: 1 } });
    expect(whatIn(b, first('RunAdmitted', any, question))).toContainEqual(
      expect.stringMatching(/^stored body .* has \d+ bytes, the fact says 1$/),
    );
  });

  it('E3: a retry with the very bytes of the request before it is found in a log without ids', () => {
    const b = new RecordBuilder().sample();
    expect(b.log[3]?.body).toEqual(b.log[2]?.body);
    const nameless = b.log.map(({ body }) => ({ id: null, body }));
    expect(verify(b, b.rows, nameless).findings).toEqual([]);
    // Of two with the same bytes one did not arrive: the entry is the other's.
    const ends = { not_sent: 'rejected', unknown: 'uncertain' } as const;
    for (const [outcome, delivery] of Object.entries(ends)) {
      const third = (fact: Forged) => fact.request === 3;
      const lost = first('RequestSettled', third, () => ({ outcome, delivery, content: false, status: null }));
      const without = nameless.filter((_, i) => i !== 2);
      expect(verify(b, forged(b, lost), without).findings).toEqual([]);
      expect(verify(b, forged(b, lost), without.slice(0, 2)).findings).toContainEqual(
        expect.objectContaining({ check: 'missing_request', where: expect.stringContaining('request 4') }),
      );
    }
    const half = b.log.map((call, i) => (i === 2 ? { ...call, id: null } : call));
    expect(verify(b, b.rows, half).findings).toEqual([]);
    expect(verify(b, b.rows, [...nameless, ...nameless.slice(0, 1)]).findings).toEqual([
      expect.objectContaining({ check: 'extra_request' }),
    ]);
  });
});

type Forged = AnyFact & {
  readonly request?: number;
  readonly bytes?: number;
  readonly question?: object;
  readonly notices?: { readonly text: string | null; readonly included: readonly object[] };
};

/** Every path to a value, the inner ones included. */
function pathsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsIn(inner).map((path) => [key, ...path])]);
}

function removeAt(target: object, path: readonly string[]): void {
  const holder = path.slice(0, -1).reduce((at, key) => (at as Record<string, object>)[key] ?? {}, target);
  Reflect.deleteProperty(holder, path.at(-1) ?? '');
}
