/** A closing text rides in one message to publication; one that is larger as JSON is cut at a character's border (L11). */

export interface CutText {
  readonly text: string;
  /** UTF-8 bytes of what is kept, and of the whole. */
  readonly kept: number;
  readonly total: number;
}

/** As much of `text` as has at most `mostBytes` as a JSON string, its quotes counted. */
export function cutClosing(text: string, mostBytes: number): CutText {
  let json = 2;
  let total = 0;
  let kept = 0;
  let end = 0;
  let open = true;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at) ?? 0;
    const units = point > 0xffff ? 2 : 1;
    json += jsonBytes(point);
    total += utf8Bytes(point);
    at += units;
    if (open && json <= mostBytes) {
      kept = total;
      end = at;
    } else open = false;
  }
  return { text: text.slice(0, end), kept, total };
}

const SHORT_ESCAPES = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c]);

function jsonBytes(point: number): number {
  if (SHORT_ESCAPES.has(point)) return 2;
  return point < 0x20 || isSurrogate(point) ? 6 : utf8Bytes(point);
}

function utf8Bytes(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

const isSurrogate = (point: number): boolean => point >= 0xd800 && point <= 0xdfff;
