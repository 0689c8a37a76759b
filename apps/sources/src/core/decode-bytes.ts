import { decodeText, isSurrogateAt } from './text-bytes.js';

/** Encodings that a file is read in; `latin1` is windows-1252, as browsers read it. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | 'latin1';

const SAMPLE_BYTES = 64 * 1024;

/**
 * A file's bytes as text, without its byte order mark. In order: BOM, the charset that the file itself names
 * (`declared`, e.g. from an HTML meta tag), UTF-16 without BOM, UTF-8, GB18030, latin1. A file that is nearly UTF-8 stays
 * UTF-8 with U+FFFD for the odd bytes.
 */
export function decodeBytes(bytes: Uint8Array, declared?: string): string {
  const mark = markOf(bytes);
  if (mark) return decodeAs(bytes.subarray(mark.length), mark.encoding);
  return decodeAs(bytes, detectEncoding(bytes, declared));
}

export function detectEncoding(bytes: Uint8Array, declared?: string): Encoding {
  const mark = markOf(bytes);
  if (mark) return mark.encoding;
  const wide = utf16WithoutMark(bytes.subarray(0, SAMPLE_BYTES));
  if (wide) return wide;
  const { good, bad } = countUtf8(bytes);
  if (bad === 0) return 'utf-8'; // also when the file claims otherwise: other encodings are never valid UTF-8 by chance
  const named = namedEncoding(declared);
  if (named && named !== 'utf-8') return named;
  if (good >= 10 * bad) return 'utf-8';
  return looksChinese(bytes.subarray(0, SAMPLE_BYTES)) ? 'gb18030' : 'latin1';
}

function markOf(bytes: Uint8Array): { encoding: Encoding; length: number } | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return undefined;
}

/** Labels that files use; at any other the content decides. */
const LABELS: Readonly<Record<string, Encoding>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  gb2312: 'gb18030',
  gbk: 'gb18030',
  gb18030: 'gb18030',
  'x-gbk': 'gb18030',
  'iso-8859-1': 'latin1',
  latin1: 'latin1',
  'us-ascii': 'latin1',
  'windows-1252': 'latin1',
};

function namedEncoding(label = ''): Encoding | undefined {
  const key = label.trim().toLowerCase();
  return Object.hasOwn(LABELS, key) ? LABELS[key] : undefined;
}

function decodeAs(bytes: Uint8Array, encoding: Encoding): string {
  switch (encoding) {
    case 'utf-8':
      return decodeText(bytes);
    case 'utf-16le':
      return decodeUtf16(bytes, 0);
    case 'utf-16be':
      return decodeUtf16(bytes, 1);
    case 'gb18030':
      return new TextDecoder('gb18030', { ignoreBOM: true }).decode(bytes);
    case 'latin1':
      return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** By hand, because TextDecoder replaces a lone surrogate. An odd last byte becomes U+FFFD. */
function decodeUtf16(bytes: Uint8Array, lowByte: 0 | 1): string {
  const parts: string[] = [];
  const units: number[] = [];
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    units.push((bytes[i + lowByte] ?? 0) | ((bytes[i + 1 - lowByte] ?? 0) << 8));
    if (units.length === 8192) parts.push(String.fromCharCode(...units.splice(0)));
  }
  parts.push(String.fromCharCode(...units), bytes.length % 2 === 1 ? '\ufffd' : '');
  return parts.join('');
}

/** Western UTF-16 has a zero in nearly every second byte. */
function utf16WithoutMark(sample: Uint8Array): Encoding | undefined {
  if (sample.length < 8 || sample.length % 2 === 1) return undefined;
  const zeros = [0, 0];
  sample.forEach((byte, i) => {
    if (byte === 0) zeros[i % 2]! += 1;
  });
  const pairs = sample.length / 2;
  if (zeros[1]! > 0.4 * pairs && zeros[0]! < 0.1 * pairs) return 'utf-16le';
  if (zeros[0]! > 0.4 * pairs && zeros[1]! < 0.1 * pairs) return 'utf-16be';
  return undefined;
}

/** Well-formed sequences of more than one byte, and bytes that belong to none. */
function countUtf8(bytes: Uint8Array): { good: number; bad: number } {
  let good = 0;
  let bad = 0;
  for (let i = 0; i < bytes.length;) {
    const byte = bytes[i]!;
    const length = byte < 0x80 ? 1 : sequenceLength(bytes, i);
    if (length > 1) good += 1;
    if (length === 0) bad += 1;
    i += Math.max(length, 1);
  }
  return { good, bad };
}

/** Bytes of the well-formed sequence at `i`, 0 if there is none. A surrogate is taken: we store it. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const lead = bytes[i]!;
  if (isSurrogateAt(bytes, i)) return 3;
  const length =
    lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (length === 0) return 0;
  for (let k = 1; k < length; k += 1) if (((bytes[i + k] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[i + 1]!;
  const overlong = (lead === 0xe0 && second < 0xa0) || (lead === 0xf0 && second < 0x90);
  return overlong || (lead === 0xf4 && second > 0x8f) ? 0 : length;
}

/** Most bytes over 127 come in pairs of GB 2312, which western letters rarely do. */
function looksChinese(sample: Uint8Array): boolean {
  let pairs = 0;
  let others = 0;
  for (let i = 0; i < sample.length; i += 1) {
    const lead = sample[i]!;
    if (lead < 0x80) continue;
    const trail = sample[i + 1] ?? 0;
    if (lead >= 0xa1 && lead <= 0xf7 && trail >= 0xa1 && trail <= 0xfe) {
      pairs += 1;
      i += 1;
    } else others += 1;
  }
  return pairs > 4 * others;
}
