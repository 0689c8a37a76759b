import type { Answer } from '../../core/protocol/answer.js';
import type { Fault } from '../../core/faults/fault-rule.js';
import type { EncodeOptions, Frame, Wire } from '../wire/wire.js';
import { ReplyStream } from './reply-stream.js';

export interface Delivery extends EncodeOptions {
  wire: Wire;
  stream: boolean;
  /** Milliseconds after which a fault that hangs cuts the connection. */
  holdMs: number;
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** Sends the answer as asked for, or as the fault has it. */
export async function deliverAnswer(out: ReplyStream, answer: Answer, to: Delivery, fault?: Fault): Promise<void> {
  switch (fault?.fault) {
    case 'stall':
      await out.wait(to.holdMs);
      return out.cut();
    case 'stall_after':
      start(out, to);
      out.write(upToBytes(answer, to, fault.bytes));
      await out.wait(to.holdMs);
      return out.cut();
    case 'pings_only':
      return pings(out, to, fault.everyMs ?? 1000);
    case 'cut':
      start(out, to);
      out.write(upToChunks(answer, to, fault.chunks));
      return out.cut();
    case 'garbage':
      return garbage(out, to, fault.form ?? (to.stream ? 'sse' : 'html'));
    case 'slow':
      return drip(out, to, encoded(answer, to), fault.everyMs ?? 1000);
    case 'mid_error':
      return midError(out, answer, to, fault.chunks ?? 1);
    case undefined:
    case 'status':
    case 'empty':
    case 'length':
    case 'filtered':
    case 'always_tools':
    case 'bad_tool_json':
    case 'unknown_tool':
    case 'latency':
      return whole(out, answer, to);
    default:
      return fault satisfies never;
  }
}

function whole(out: ReplyStream, answer: Answer, to: Delivery): void {
  if (!to.stream) return out.send(200, JSON_HEADERS, encoded(answer, to));
  start(out, to);
  out.write(encoded(answer, to));
  out.end();
}

const start = (out: ReplyStream, to: Delivery): void => (to.stream ? out.openStream() : out.head(200, JSON_HEADERS));

const frames = (answer: Answer, to: Delivery): Frame[] => to.wire.stream(answer, to);

const encoded = (answer: Answer, to: Delivery): string =>
  to.stream
    ? frames(answer, to)
        .map((f) => f.data)
        .join('')
    : to.wire.whole(answer, to);

const isContent = (frame: Frame): boolean => frame.kind === 'content' || frame.kind === 'call';

/** The frames up to and with `count` content chunks; of a whole JSON body a proportionate part. */
function upToChunks(answer: Answer, to: Delivery, count: number): string {
  if (!to.stream) return encoded(answer, to).slice(0, Math.min(40 * count, encoded(answer, to).length - 1));
  let left = count;
  let out = '';
  for (const frame of frames(answer, to)) {
    if (!isContent(frame) && frame.kind !== 'open') break;
    if (isContent(frame) && left-- <= 0) break;
    out += frame.data;
  }
  return out;
}

/** The frames that carry about `bytes` of content. */
function upToBytes(answer: Answer, to: Delivery, bytes: number): string {
  return bytes === 0 && to.stream
    ? (frames(answer, to)[0]?.data ?? '')
    : upToChunks(answer, to, to.stream ? Math.max(1, Math.ceil(bytes / to.chunk)) : Math.ceil(bytes / 40));
}

/** Alive for ever, and never a word: comments and empty deltas by turns (blanks where a JSON body is due). */
async function pings(out: ReplyStream, to: Delivery, everyMs: number): Promise<void> {
  start(out, to);
  const [ping, empty] = to.wire.pings(to);
  const end = Date.now() + to.holdMs;
  for (let i = 0; Date.now() < end; i++) {
    out.write(to.stream ? (i % 2 === 0 ? ping : empty) : ' ');
    if (!(await out.wait(Math.min(everyMs, Math.max(1, end - Date.now()))))) break;
  }
  await out.cut();
}

function garbage(out: ReplyStream, to: Delivery, form: 'html' | 'sse'): void {
  const page = '<!doctype html><html><body><h1>Welcome to nginx</h1></body></html>\n';
  if (form === 'html') return out.send(200, { 'content-type': 'text/html; charset=utf-8' }, page);
  start(out, to);
  out.write('data: {"id": "x", "choi\n\ndata: <<<not json>>>\n\n');
  out.end();
}

async function drip(out: ReplyStream, to: Delivery, text: string, everyMs: number): Promise<void> {
  start(out, to);
  const end = Date.now() + to.holdMs;
  // One byte at a time; a JSON body and events are ASCII except inside texts, where a character stays whole.
  for (const character of text) {
    out.write(character);
    if (!(await out.wait(everyMs)) || Date.now() >= end) return out.cut();
  }
  out.end();
}

function midError(out: ReplyStream, answer: Answer, to: Delivery, chunks: number): void {
  const error = {
    status: 500,
    message: 'The server had an error.',
    type: 'server_error',
    param: null,
    code: 'server_error',
  };
  if (!to.stream) return out.send(500, JSON_HEADERS, to.wire.errorBody(error));
  start(out, to);
  out.write(upToChunks(answer, to, chunks) + to.wire.errorEvent(error));
  out.end();
}
