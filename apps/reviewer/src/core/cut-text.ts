const encoder = new TextEncoder();

export const utf8Bytes = (text: string): number => encoder.encode(text).length;

/** The longest start of `text` that has at most `bytes` bytes in UTF-8; no character is split (C13). */
export function cutText(text: string, bytes: number): string {
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, Math.floor(bytes))));
  return text.slice(0, read);
}

/**
 * Shares `total` among wants, the small ones served whole before the large ones are cut alike.
 * The sum of the shares is at most `total`.
 */
export function shareOut(wants: readonly number[], total: number): number[] {
  const shares = wants.map(() => 0);
  let left = Math.max(0, Math.floor(total));
  let open = wants.map((want, index) => ({ want, index })).sort((a, b) => a.want - b.want);
  while (open.length > 0) {
    const [smallest, ...rest] = open;
    if (!smallest) break;
    const share = Math.min(smallest.want, Math.floor(left / open.length));
    shares[smallest.index] = share;
    left -= share;
    open = rest;
  }
  return shares;
}
