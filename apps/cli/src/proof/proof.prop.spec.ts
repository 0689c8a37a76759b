import { Buffer } from 'node:buffer';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { readProviderLog, type LogEntry } from './provider-log.js';
import { readRecordFile } from './record-file.js';
import { exitCodeOf, verifyRun, type Proof } from './verify-run.js';

// A run that was recorded once, with the log of its provider. It is never made again: later releases must read it too.
const CORPUS = join(import.meta.dirname, '../../test/corpus');
const RECORD = readFileSync(join(CORPUS, 'record-1.jsonl'));
const LOG = readFileSync(join(CORPUS, 'provider-log-1.jsonl'));
const RUN = (JSON.parse(RECORD.subarray(0, RECORD.indexOf(10)).toString()) as { run: string }).run;

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The next spelling of the same bits. */
const after = (character: string): string => BASE64[BASE64.indexOf(character) + 1] ?? 'A';

/** The lines of a log, and a log of lines that each bear the hash of the rest. */
function withChecks(log: Buffer) {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  return {
    lines: log.toString().trimEnd().split('\n'),
    sealed: (lines: readonly string[]): Buffer =>
      Buffer.from(lines.map((line) => `${line.slice(0, -1)},"check":"${hash(line)}"}\n`).join('')),
  };
}

describe('E3: proof of a run that was recorded long ago', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-proof-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function prove(record: Buffer, log: Buffer | null): Promise<Proof> {
    writeFileSync(join(folder, 'record'), record);
    if (log) writeFileSync(join(folder, 'log'), log);
    const { stored, findings } = await readRecordFile(join(folder, 'record'));
    const proof = verifyRun(stored, log ? await readProviderLog(join(folder, 'log'), RUN) : null);
    return { ...proof, findings: [...findings, ...proof.findings] };
  }

  const flipped = (bytes: Buffer, at: number, bit: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ (1 << bit);
    return copy;
  };

  it('is right to the byte, with every reminder found', async () => {
    const proof = await prove(RECORD, LOG);
    expect(proof).toMatchObject({
      ...{ facts: 19, requests: 4, rebuilt: 4, arrived: 4, reminders: 7 },
      findings: [],
      unchecked: [],
    });
    expect(exitCodeOf(proof)).toBe(0);
    const without = await prove(RECORD, null);
    expect(without).toMatchObject({ arrived: null, findings: [] });
    expect(exitCodeOf(without)).toBe(3);
  });

  it('one flipped byte anywhere in the record’s file is a finding', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(RECORD.length - 2), fc.nat(7), async (at, bit) => {
        const proof = await prove(flipped(RECORD, at, bit), LOG).catch((error: unknown) => error);
        if (proof instanceof Error)
          expect(proof).toMatchObject({ code: expect.stringMatching(/^(not_a_record_file)$/) });
        else expect((proof as Proof).findings).not.toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('one flipped byte anywhere in a logged request is a finding', async () => {
    const bodies = LOG.toString('latin1')
      .split('\n')
      .map((line) => ({ line, at: line.indexOf('"bytesBase64":"') }))
      .filter(({ at }) => at >= 0)
      .map(({ line, at }) => ({ from: LOG.indexOf(line) + at + 15, length: line.length - at - 17 }));
    expect(bodies).toHaveLength(4);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.nat(7),
        async (which, share, bit) => {
          const { from = 0, length = 0 } = bodies[which] ?? {};
          const proof = await prove(RECORD, flipped(LOG, from + Math.floor(share * length), bit));
          expect(proof.findings).not.toEqual([]);
          expect(exitCodeOf(proof)).toBe(1);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('what a forger mends, the file’s own sum and the log’s own digest, does not help him', async () => {
    const lines = RECORD.toString().trimEnd().split('\n').slice(0, -1);
    const forged = (changed: readonly string[]): Buffer => {
      const text = changed.map((l) => `${l}\n`).join('');
      const sha256 = createHash('sha256').update(text).digest('hex');
      return Buffer.from(`${text}${JSON.stringify({ kind: 'end', lines: changed.length, sha256 })}\n`);
    };
    expect((await prove(forged(lines), LOG)).findings).toEqual([]);
    const last = lines.findLastIndex((l) => l.startsWith('{"kind":"row"'));
    const cut = await prove(forged(lines.filter((_, i) => i !== last)), LOG);
    expect(cut.findings).toEqual([expect.objectContaining({ check: 'order', where: 'seq 18' })]);
    // The last character before the padding holds bits that no decoder needs.
    const padded = lines.findIndex((l) => /[^=]=+"/.test(l));
    const spelled = lines.with(
      padded,
      (lines[padded] ?? '').replace(/(.)(=+")/, (_, c: string, end: string) => after(c) + end),
    );
    const respelled = await prove(forged(spelled), LOG);
    expect(respelled.findings[0]).toMatchObject({ check: 'export', where: `record file line ${padded + 1}` });
    const digest = /"sha256":"(.)/.exec(LOG.toString())?.[1] ?? '';
    const other = LOG.toString().replace(`"sha256":"${digest}`, `"sha256":"${digest === '0' ? '1' : '0'}`);
    const relabelled = await prove(RECORD, Buffer.from(other));
    expect(relabelled.findings).toEqual([expect.objectContaining({ check: 'log', where: 'log line 1' })]);
  });

  it('a missing and an extra line of the log are findings by name', async () => {
    const lines = LOG.toString().split('\n');
    const arrivals = lines.flatMap((line, i) => (line.includes('"kind":"arrived"') ? [i] : []));
    for (const [n, i] of arrivals.entries()) {
      const less = await prove(RECORD, Buffer.from(lines.filter((_, k) => k !== i).join('\n')));
      expect(less.findings).toContainEqual(
        expect.objectContaining({ check: 'missing_request', where: expect.stringContaining(`request ${n + 1} `) }),
      );
      const more = await prove(RECORD, Buffer.from([...lines, lines[i]].join('\n')));
      expect(more.findings).toContainEqual(expect.objectContaining({ check: 'extra_request' }));
    }
    const other = Buffer.from(LOG.toString().replaceAll(RUN, '01a22cd4-0000-7000-8000-000000000000'));
    const foreign = await prove(RECORD, Buffer.concat([LOG, other]));
    expect(foreign.findings).toEqual([]); // another run's requests in the same log are its own affair
  });

  it('E3: an id that was never sent is an extra request, however near it comes to one that was', async () => {
    const lines = LOG.toString().trimEnd().split('\n');
    const line = lines.find((l) => l.includes(`"id":"${RUN}/1"`)) ?? '';
    const near = [
      '/01',
      '/0x1',
      '/1e0',
      '/ 1',
      '/1 ',
      '/1.0',
      '/+1',
      '/',
      '',
      '/1/1',
      '.1/1/01',
      '.1/x/1',
      '.1/1/1/1',
      's/1',
    ];
    const ids = [...near.map((end) => RUN + end), ` ${RUN}/99`, `\t${RUN}/1`, `${RUN.toUpperCase()}/1`, `x/${RUN}/1`];
    // The same digits to a reader's eye: full width, another hyphen, a hyphen that is not shown.
    ids.push(
      `${RUN.replaceAll('0', '\uff10')}/1`,
      `${RUN.replaceAll('-', '\u2010')}/1`,
      `${RUN.slice(0, 5)}\u00ad${RUN.slice(5)}/1`,
    );
    for (const digestsOnly of [false, true]) {
      for (const id of ids) {
        const added = line.replace(`"id":"${RUN}/1"`, `"id":${JSON.stringify(id)}`);
        const text = [...lines, added].join('\n');
        const proof = await prove(
          RECORD,
          Buffer.from(digestsOnly ? text.replace(/,"bytesBase64":"[^"]*"/g, '') : text),
        );
        expect({ id, findings: proof.findings }).toEqual({
          id,
          findings: [
            {
              check: 'extra_request',
              where: `log line ${lines.length + 1}`,
              what: expect.stringContaining(JSON.stringify(id)),
            },
          ],
        });
      }
    }
  });

  it('each line of a log with checks is proven in all of its fields, and what it leaves out or says twice is named', async () => {
    const { lines, sealed } = withChecks(LOG);
    expect((await prove(RECORD, sealed(lines))).findings).toEqual([]);
    const changes: [RegExp, string][] = [
      [/"at":"2/, '"at":"3'],
      [/"model":"p/, '"model":"q'],
      [/"purpose":"e/, '"purpose":"d'],
      [/"answeredWith":"c/, '"answeredWith":"b'],
      [/"bytesBase64"/, '"bytdsBase64"'],
      [/"check"/, '"chekk"'],
    ];
    for (const [from, to] of changes) {
      const whole = sealed(lines).toString();
      expect([String(from), from.test(whole)]).toEqual([String(from), true]);
      const proof = await prove(RECORD, Buffer.from(whole.replace(from, to)));
      expect([String(from), proof.findings.filter(({ check }) => check === 'log').length > 0]).toEqual([
        String(from),
        true,
      ]);
      expect(exitCodeOf(proof)).toBe(1);
    }
    const answered = lines.findIndex((l) => l.includes('"kind":"answered"'));
    const named = async (changed: readonly string[]) => (await prove(RECORD, sealed(changed))).findings;
    expect(await named(lines.filter((_, i) => i !== answered))).toEqual([
      expect.objectContaining({ check: 'log', what: 'the log does not say how it was answered' }),
    ]);
    expect(await named([...lines, lines[answered] ?? ''])).toEqual([
      expect.objectContaining({ check: 'log', what: 'it answers a request once more' }),
    ]);
    const [arrived = '', answer = '', ...rest] = lines;
    expect(await named([answer, arrived, ...rest])).toEqual([
      expect.objectContaining({ check: 'log', where: 'log line 1', what: 'it answers a request before it arrived' }),
    ]);
    expect(await named([...lines, '{"kind":"answered","n":77}'])).toEqual([
      expect.objectContaining({ check: 'log', what: 'it answers a request that did not arrive' }),
    ]);
  });

  it('E3: two requests of one digest are two arrivals, also in a log without ids', async () => {
    writeFileSync(join(folder, 'record'), RECORD);
    const { stored } = await readRecordFile(join(folder, 'record'));
    const digest = 'd'.repeat(64);
    const event = (seq: number, type: string, data: object) =>
      ({
        owner: 'reviewer',
        run: RUN,
        seq,
        at: '2026-11-30T00:00:00Z',
        type: `waymark.reviewer.fact.v1.${type}`,
        data,
      }) as WaymarkEvent;
    const reviews = [1, 2].flatMap((request) => [
      event(2 * request - 1, 'ReviewRequested', { review: `${RUN}.1`, request, digest }),
      event(2 * request, 'ReviewAnswered', {
        review: `${RUN}.1`,
        request,
        content: true,
        status: 200,
        outcome: 'completed',
      }),
    ]);
    const entry = (id: string | null, body: Uint8Array | null = null): LogEntry => ({
      where: 'here',
      id,
      sha256: digest,
      body,
      n: null,
    });
    const findings = async (...entries: LogEntry[]) => {
      writeFileSync(join(folder, 'log'), LOG);
      const log = await readProviderLog(join(folder, 'log'), RUN);
      return verifyRun(
        { ...stored, reviews },
        { findings: log.findings, answered: log.answered, entries: [...log.entries, ...entries] },
      ).findings;
    };
    expect(await findings(entry(null), entry(null))).toEqual([]);
    expect(await findings(entry(`${RUN}.1/1/1`), entry(null))).toEqual([]);
    expect(await findings(entry(null))).toEqual([expect.objectContaining({ check: 'missing_request' })]);
    expect(await findings(entry(null), entry(null), entry(null))).toEqual([
      expect.objectContaining({ check: 'extra_request' }),
    ]);
  });

  it('a log that is no log is named by line; another run’s record is not taken for this one', async () => {
    const proof = await prove(RECORD, Buffer.concat([LOG, Buffer.from('garbage\n[]\n{"kind":"odd"}\n')]));
    expect(proof.findings.map(({ check, where }) => [check, where])).toEqual([
      ['log', 'log line 9'],
      ['log', 'log line 10'],
      ['log', 'log line 11'],
    ]);
    await expect(prove(Buffer.from('{"kind":"row"}\n'), LOG)).rejects.toMatchObject({ code: 'not_a_record_file' });
  });
});
