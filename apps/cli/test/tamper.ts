/** Copies of a record's export and of a provider's log with one thing wrong in them. */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/** Flips one byte of the n-th row's or body's bytes; `name` is what a finding must say of it. */
export function tamperedRecord(text: string, kind: 'row' | 'body', n: number): { text: string; name: string } {
  const lines = text.trimEnd().split('\n');
  const index = lines.flatMap((line, i) => (line.startsWith(`{"kind":"${kind}"`) ? [i] : []))[n] ?? -1;
  const line = JSON.parse(lines[index] ?? '') as { seq?: number; digest?: string; body: string };
  lines[index] = JSON.stringify({ ...line, body: flipped(line.body) });
  const body = lines
    .slice(0, -1)
    .map((l) => `${l}\n`)
    .join('');
  // Whoever changes a record can mend the file's own sum; the chain and the digests are what he cannot mend.
  const end = { kind: 'end', lines: lines.length - 1, sha256: createHash('sha256').update(body).digest('hex') };
  return { text: `${body}${JSON.stringify(end)}\n`, name: kind === 'row' ? `chain seq ${line.seq}` : 'body ' };
}

/** Changes the log entry of one request. */
export function tamperedLog(
  text: string,
  id: string,
  how: 'flip' | 'flip-and-hash' | 'drop' | 'twice' | 'rename' | 'garble',
  other = '',
): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (!line.includes(`"id":"${id}"`)) return [line];
      const entry = JSON.parse(line) as { bytesBase64: string };
      const bytesBase64 = flipped(entry.bytesBase64);
      const sha256 = createHash('sha256').update(Buffer.from(bytesBase64, 'base64')).digest('hex');
      switch (how) {
        case 'flip':
          return [JSON.stringify({ ...entry, bytesBase64 })];
        case 'flip-and-hash':
          return [JSON.stringify({ ...entry, bytesBase64, sha256 })];
        case 'drop':
          return [];
        case 'twice':
          return [line, line];
        case 'rename':
          return [JSON.stringify({ ...entry, id: other })];
        case 'garble':
          return [line.slice(0, -1)];
        default:
          return how satisfies never;
      }
    })
    .join('\n');
}

function flipped(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  return bytes.toString('base64');
}
