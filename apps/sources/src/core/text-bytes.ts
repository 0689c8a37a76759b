/**
 * Text as it is stored (decision 12): UTF-8, and a lone surrogate as the three bytes that it would have (WTF-8), so that
 * nothing is lost (F-R7) and an offset means the same here and at a reader who replaces it by U+FFFD, also three bytes.
 */
const encoder = new TextEncoder();
// ignoreBOM: a BOM in the middle of a text is a character like any other
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

export function encodeText(text: string): Uint8Array {
  if (!/\p{Cs}/u.test(text)) return encoder.encode(text);
  const parts = text.split(/(\p{Cs})/u).map((part, i) => (i % 2 === 0 ? encoder.encode(part) : surrogateBytes(part)));
  return concat(parts);
}

/** The inverse of {@link encodeText}, for slices that begin and end on character borders. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeWithSurrogates(bytes);
  }
}

/** Whether a character starts at `offset`; the end of the text is a border too. */
export function isBorder(bytes: Uint8Array, offset: number): boolean {
  const byte = bytes[offset];
  return byte === undefined || (byte & 0xc0) !== 0x80;
}

export function borderAtOrBefore(bytes: Uint8Array, offset: number): number {
  let at = Math.min(offset, bytes.length);
  while (at > 0 && !isBorder(bytes, at)) at -= 1;
  return at;
}

export function borderAtOrAfter(bytes: Uint8Array, offset: number): number {
  let at = Math.max(offset, 0);
  while (at < bytes.length && !isBorder(bytes, at)) at += 1;
  return Math.min(at, bytes.length);
}

/** Beginning of `bytes` in at most `limit` bytes and whole characters. */
export function headOf(bytes: Uint8Array, limit: number): Uint8Array {
  return bytes.length <= limit ? bytes : bytes.subarray(0, borderAtOrBefore(bytes, limit));
}

function surrogateBytes(unit: string): Uint8Array {
  const code = unit.charCodeAt(0);
  return Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
}

function decodeWithSurrogates(bytes: Uint8Array): string {
  let text = '';
  let from = 0;
  for (let i = 0; i + 2 < bytes.length; i += 1) {
    if (!isSurrogateAt(bytes, i)) continue;
    const [, b, c] = bytes.subarray(i, i + 3) as unknown as [number, number, number];
    text += lenient.decode(bytes.subarray(from, i)) + String.fromCharCode(0xd000 | ((b & 0x3f) << 6) | (c & 0x3f));
    from = i + 3;
    i += 2;
  }
  return text + lenient.decode(bytes.subarray(from));
}

/** A surrogate in three bytes stands at `i`: ED A0…BF xx. */
export function isSurrogateAt(bytes: Uint8Array, i: number): boolean {
  const second = bytes[i + 1] ?? 0;
  const third = bytes[i + 2] ?? 0;
  return bytes[i] === 0xed && second >= 0xa0 && second <= 0xbf && third >= 0x80 && third <= 0xbf;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
