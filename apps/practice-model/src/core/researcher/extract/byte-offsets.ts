/** UTF-8 byte offset of each character index of `text`, and of its end. */
export function byteOffsets(text: string): Uint32Array {
  const out = new Uint32Array(text.length + 1);
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    out[i] = bytes;
    const code = text.charCodeAt(i);
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (code >= 0xd800 && code <= 0xdbff) bytes += 4;
    else if (code >= 0xdc00 && code <= 0xdfff) bytes += 0;
    else bytes += 3;
  }
  out[text.length] = bytes;
  return out;
}

export const byteLength = (text: string): number => byteOffsets(text)[text.length] ?? 0;
