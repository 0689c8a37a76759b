import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUNTIME_FACTS } from '@waymark/contracts/facts';
import { sha256 } from '../test/build-record.js';
import { decodeCorpusFile, encodeCorpusFile } from '../test/corpus-file.js';
import { decodeFact, encodeFact } from './canonical.js';
import type { RecordFact, RecordFactType, RequestIntended } from './facts.js';
import { evolveTranscript, newTranscript } from './transcript.js';
import { rebuild, verifyRecord } from './verify.js';

const folder = join(import.meta.dirname, '../corpus');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** SHA-256 of each file: whoever edits a released record sees it here. */
const RELEASED: Readonly<Record<string, string>> = {
  '0001-sample.json': '1c66be444e9247a1e9a28378bceeff48ee8eca106b841a6e96b6334c68d432a8',
  '0002-researcher.json': '29f91160acdb12ba8b879aeb441b33b6610ffff2f30fa99cc030399ff3f85ac6',
  '0003-odd-turns.json': 'fc2fd9bafd626068a7cee98cfd0ac5d18862419eae61e18fe560738bdbbd63fe',
  '0004-anthropic.json': 'b2a35b03a6ec39e276a41a999a1adcb9bcf52481bcf690f2a1e4dc8379e75da5',
};

describe('L3, E3: released records', () => {
  it('L3: none is edited, none is removed', () => {
    const found = files.map((name) => [name, createHash('sha256').update(read(name)).digest('hex')]);
    expect(Object.fromEntries(found)).toEqual(RELEASED);
  });

  it('L3: every kind of fact stands in one of them, so that a new kind brings a new file', () => {
    const kinds: Record<RecordFactType, true> = {
      RunAdmitted: true,
      RequestIntended: true,
      RequestSettled: true,
      ActionSettled: true,
      ResultsRetired: true,
      ResultPaged: true,
      SummaryAdopted: true,
      SummaryAbandoned: true,
      FloorBuilt: true,
      HardLimitLowered: true,
      PhaseChanged: true,
      LimitHeard: true,
      VerdictHeard: true,
      ReviewRaised: true,
      ReviewDeclined: true,
      ReviewDispatched: true,
      ReviewOverdue: true,
      RunParked: true,
      WriteConfirmed: true,
      RunWoken: true,
      RunEnding: true,
      EndingStepDone: true,
      RunEnded: true,
    };
    const found = new Set(files.flatMap((name) => decodeCorpusFile(read(name)).rows.map((row) => row.kind)));
    expect([...found].sort()).toEqual(Object.keys(kinds).sort());
  });

  describe.each(files)('%s', (name) => {
    const record = decodeCorpusFile(read(name));
    const bodies = (digest: string) => record.bodies.get(digest);

    it('E3: today’s code finds nothing wrong with it: chain, bodies, requests, reminders', () => {
      const result = verifyRecord(record.run, record.rows, bodies, record.log, sha256);
      expect(result.findings).toEqual([]);
      expect(result.unchecked).toEqual([]);
      expect(result).toMatchObject({
        rows: record.rows.length,
        rebuilt: result.requests,
        arrived: record.log.length,
      });
      expect(Math.min(result.requests, result.reminders)).toBeGreaterThan(0);
    });

    it('E3: each request that was sent is rebuilt to the bytes that arrived', () => {
      const t = newTranscript();
      const facts = record.rows.map((row) => decodeFact<RecordFact>(row.body));
      const [admitted] = facts;
      if (admitted?.type !== 'RunAdmitted') throw new Error('the first fact is no admission');
      const rebuilt: [string, string][] = [];
      for (const fact of facts) {
        if (fact.type === 'RequestIntended') rebuilt.push([`${record.run}/${fact.request}`, asText(t, fact)]);
        evolveTranscript(t, fact);
      }
      expect(record.log.length).toBeGreaterThan(0);
      for (const { id, body } of record.log)
        expect(rebuilt.find(([request]) => request === id)?.[1]).toBe(Buffer.from(body).toString());

      function asText(transcript: typeof t, intent: RequestIntended): string {
        if (admitted?.type !== 'RunAdmitted') return '';
        return Buffer.from(
          rebuild(admitted, transcript, intent, (ref) => bodies(ref.digest) ?? new Uint8Array()),
        ).toString();
      }
    });

    it('L14: the contracts tell others every field of its facts', () => {
      for (const { kind, body } of record.rows) {
        const shape = RUNTIME_FACTS[kind as RecordFactType].data;
        const fact = decodeFact<RecordFact>(body);
        expect(shape.parse(fact)).toEqual(fact);
      }
    });

    it('L3: today’s encoding of its facts gives the stored bytes', () => {
      for (const row of record.rows)
        expect(Buffer.from(encodeFact(decodeFact(row.body))).toString()).toBe(Buffer.from(row.body).toString());
      expect(decodeCorpusFile(encodeCorpusFile(record))).toEqual(record);
    });

    it('E3: one flipped byte in a stored body is found by the requests that it stands in', () => {
      const [digest, body] = [...record.bodies].find(([, b]) => b.length > 0) ?? ['', new Uint8Array()];
      const flipped = Uint8Array.from(body, (byte, i) => (i === 0 ? byte ^ 1 : byte));
      const { findings } = verifyRecord(
        record.run,
        record.rows,
        (d) => (d === digest ? flipped : bodies(d)),
        record.log,
        sha256,
      );
      expect(findings).toContainEqual(expect.objectContaining({ check: 'body' }));
    });
  });
});
