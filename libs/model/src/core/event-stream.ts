/**
 * Reads a text/event-stream piece by piece; pieces may end anywhere. Comments and fields other than `data` are let
 * pass; a first line that belongs to no event stream is reported, so that a page of HTML is not waited out.
 */
export class EventStream {
  private rest = '';
  private data: string[] = [];
  private dataLength = 0;
  private started = false;

  constructor(private readonly maxEventLength: number) {}

  /** The events that this piece completes, or why the stream is none. */
  take(piece: string): { readonly events: readonly string[]; readonly broken: 'garbage' | 'too_large' | null } {
    const events: string[] = [];
    const text = this.rest === '' ? piece : this.rest + piece;
    let from = 0;
    for (;;) {
      const end = lineEnd(text, from);
      if (end === -1) break;
      const line = text.slice(from, end);
      from = end + (text[end] === '\r' && text[end + 1] === '\n' ? 2 : 1);
      if (!this.line(line, events)) return { events, broken: 'garbage' };
    }
    this.rest = text.slice(from);
    const tooLarge = this.rest.length + this.dataLength > this.maxEventLength;
    return { events, broken: tooLarge ? 'too_large' : null };
  }

  /** An event without its closing blank line counts: the provider's last `[DONE]` may lack it. */
  end(): readonly string[] {
    const events: string[] = [];
    if (this.rest !== '') this.line(this.rest.replace(/\r$/, ''), events);
    this.rest = '';
    this.line('', events);
    return events;
  }

  private line(line: string, events: string[]): boolean {
    if (line === '') {
      if (this.data.length > 0) events.push(this.data.join('\n'));
      this.data = [];
      this.dataLength = 0;
      return true;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    if (!this.started && !FIELDS.has(field.replace(/^\uFEFF/, ''))) return false;
    this.started = true;
    if (field !== 'data') return true;
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    this.data.push(value);
    this.dataLength += value.length;
    return true;
  }
}

/** The empty name is a comment's. */
const FIELDS = new Set(['', 'data', 'event', 'id', 'retry']);

/** Index of the next line break; a `\r` at the very end waits for its `\n`. */
function lineEnd(text: string, from: number): number {
  const lf = text.indexOf('\n', from);
  const cr = text.indexOf('\r', from);
  if (cr !== -1 && (lf === -1 || cr < lf)) return cr === text.length - 1 ? -1 : cr;
  return lf;
}
