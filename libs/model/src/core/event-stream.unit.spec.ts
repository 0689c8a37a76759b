import { EventStream } from './event-stream.js';

const read = (pieces: string[]): string[] => {
  const stream = new EventStream(1_000);
  return [...pieces.flatMap((piece) => stream.take(piece).events), ...stream.end()];
};

describe('event stream', () => {
  it('T1: comments, named events and ids are no data', () => {
    expect(read([': ping\n\nevent: x\nid: 7\nretry: 10\n\ndata: a\n\n'])).toEqual(['a']);
  });

  it.each(['\n', '\r\n', '\r'])('reads the same events however pieces and line ends (%j) fall', (eol) => {
    const text = `data: {"a":1}${eol}${eol}:c${eol}${eol}data:b${eol}data: c${eol}${eol}`;
    for (let at = 0; at <= text.length; at += 1) {
      expect(read([text.slice(0, at), text.slice(at)])).toEqual(['{"a":1}', 'b\nc']);
    }
    expect(read([...text])).toEqual(['{"a":1}', 'b\nc']);
  });

  it('an event without its closing blank line counts at the end', () => {
    expect(read(['data: [DONE]'])).toEqual(['[DONE]']);
  });

  it('a first line of another kind is garbage at once; a byte order mark is none', () => {
    expect(new EventStream(1_000).take('<!doctype html>\n').broken).toBe('garbage');
    expect(new EventStream(1_000).take('\uFEFFdata: a\n\n')).toEqual({ events: [], broken: null });
    expect(new EventStream(1_000).take(': hello\nunknown: field\n\n').broken).toBeNull();
  });

  it('an event that never ends is bounded, in one line or in many', () => {
    expect(new EventStream(100).take(`data: ${'x'.repeat(200)}`).broken).toBe('too_large');
    const stream = new EventStream(100);
    const ends = Array.from({ length: 50 }, () => stream.take('data: xxxxx\n').broken);
    expect(ends.at(-1)).toBe('too_large');
  });
});
