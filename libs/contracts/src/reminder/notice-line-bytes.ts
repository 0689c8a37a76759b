/** A line end inside a JSON string: `\n`. */
const LINE_END = 2;

/**
 * Bytes that one line of notices takes in the request as it is sent (C13): UTF-8 inside a JSON string, its line end
 * included. The same as `JSON.stringify` makes, without making it.
 */
export function noticeLineBytes(text: string): number {
  let bytes = text.length + LINE_END;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x20 && unit < 0x80) {
      if (unit === QUOTE || unit === BACKSLASH) bytes += 1;
    } else if (unit < 0x20) bytes += SHORT_ESCAPES.has(unit) ? 1 : 5;
    else if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 2; // a pair is two units and four bytes
      i += 1;
    } else bytes += unit >= 0xd800 && unit < 0xe000 ? 5 : 2; // a lone surrogate is escaped
  }
  return bytes;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Backspace, tab, line feed, form feed, carriage return: a backslash and a letter; others are \u and four digits. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);
