/**
 * A run's stored record as a file for anybody: JSON lines, all bytes in base64.
 *
 *     {"kind":"waymark-record","format":1,"run":…,"state":…,"head":…,"reviewer":true}
 *     {"kind":"row","seq":1,"epoch":0,"factKind":"RunAdmitted","body":"…","hash":"<hex>"}
 *     {"kind":"body","digest":"<hex>","body":"…"}
 *     {"kind":"review","event":{…}}
 *     {"kind":"end","lines":n,"sha256":"<of all bytes before this line>"}
 *
 * The last line finds damage on the way; what the record itself says is proven by its chain, never by this file.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { WaymarkError } from '@waymark/client';
import { event, type WaymarkEvent } from '@waymark/contracts/wire';
import type { StoredRow } from '@waymark/record';
import type { ProofFinding } from './finding.js';
import { strictBase64, strictHex } from './strict-bytes.js';
import type { StoredRun } from './stored-run.js';

export const EXPORT_FORMAT = 1;

export async function writeRecordFile(path: string, stored: StoredRun): Promise<{ readonly bytes: number }> {
  const hash = createHash('sha256');
  const file = await open(path, 'w');
  let lines = 0;
  let bytes = 0;
  const write = async (value: object): Promise<void> => {
    const line = Buffer.from(`${JSON.stringify(value)}\n`);
    hash.update(line);
    lines += 1;
    bytes += line.length;
    await file.write(line);
  };
  try {
    const { run, state, head, rows, bodies, reviews } = stored;
    await write({ kind: 'waymark-record', format: EXPORT_FORMAT, run, state, head, reviewer: reviews !== null });
    for (const { seq, epoch, kind, body, hash: link } of rows) {
      await write({
        kind: 'row',
        seq,
        epoch,
        factKind: kind,
        body: base64(body),
        hash: Buffer.from(link).toString('hex'),
      });
    }
    for (const [digest, body] of bodies) await write({ kind: 'body', digest, body: base64(body) });
    for (const one of reviews ?? []) await write({ kind: 'review', event: one });
    await write({ kind: 'end', lines, sha256: hash.copy().digest('hex') });
    return { bytes };
  } finally {
    await file.close();
  }
}

/** Reads an export. Damage is a finding by line; only a file that is no export at all is refused (`not_a_record_file`). */
export async function readRecordFile(path: string): Promise<{ stored: StoredRun; findings: ProofFinding[] }> {
  const bytes = await readFile(path);
  const findings: ProofFinding[] = [];
  const find = (line: number, what: string): void =>
    void findings.push({ check: 'export', where: `record file line ${line}`, what });
  const rows: StoredRow[] = [];
  const bodies = new Map<string, Uint8Array>();
  const reviews: WaymarkEvent[] = [];
  let header: { run: string; state: string; head: number; reviewer: boolean } | undefined;
  let ended = false;
  let number = 0;
  for (let at = 0; at < bytes.length;) {
    const to = bytes.indexOf(10, at) < 0 ? bytes.length : bytes.indexOf(10, at);
    number += 1;
    try {
      const line = JSON.parse(bytes.subarray(at, to).toString()) as Record<string, unknown>;
      if (ended) throw new Error('something stands after the end');
      if (line['kind'] === 'waymark-record') header = readHeader(line);
      else if (line['kind'] === 'row') rows.push(readRow(line));
      else if (line['kind'] === 'body') bodies.set(String(line['digest']), strictBase64(line['body']));
      else if (line['kind'] === 'review') reviews.push(event.parse(line['event']));
      else if (line['kind'] === 'end') {
        ended = true;
        const sum = createHash('sha256').update(bytes.subarray(0, at)).digest('hex');
        if (line['sha256'] !== sum || line['lines'] !== number - 1)
          throw new Error('the bytes before it are not those that were written');
      } else throw new Error('no such kind of line');
    } catch (error) {
      find(number, error instanceof Error ? error.message : String(error));
    }
    at = to + 1;
  }
  if (!header) {
    throw new WaymarkError({
      code: 'not_a_record_file',
      message: `${path} is no export of a run's record`,
      remedy: 'write one with: waymark record <run> --out <file>',
    });
  }
  if (!ended) find(number, 'the end is missing: the file was cut');
  return { stored: { ...header, rows, bodies, reviews: header.reviewer ? reviews : null }, findings };
}

function readHeader(line: Readonly<Record<string, unknown>>) {
  const { format, run, state, head, reviewer } = line;
  if (format !== EXPORT_FORMAT) throw new Error(`format ${String(format)} is not known here`);
  if (
    typeof run !== 'string' ||
    typeof state !== 'string' ||
    typeof head !== 'number' ||
    typeof reviewer !== 'boolean'
  ) {
    throw new Error('the first line is not whole');
  }
  return { run, state, head, reviewer };
}

function readRow({ seq, epoch, factKind, body, hash }: Readonly<Record<string, unknown>>): StoredRow {
  if (!Number.isInteger(seq) || !Number.isInteger(epoch) || typeof factKind !== 'string')
    throw new Error('the row is not whole');
  return { seq: Number(seq), epoch: Number(epoch), kind: factKind, body: strictBase64(body), hash: strictHex(hash) };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
