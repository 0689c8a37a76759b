/**
 * Renderer 1: parts to the bytes of an OpenAI chat request (E3, R14, C13).
 *
 * 1. body = head + parts joined by "," + ("," + notices)? + "]}". Model, tools and instructions stand in the head, so the
 *    bytes before the notices stay equal from one request to the next (R14).
 * 2. A part renders from its own stored texts alone; the same part always gives the same bytes.
 * 3. Sizes are bytes of these bytes (C13).
 */
import { decodeText } from './canonical.js';
import { concat } from './chain.js';
import type { Frame, PartKind, RunAdmitted, TextRef } from './facts.js';
import { PART_KINDS } from './facts.js';
import type { Part } from './transcript.js';

/** A stored body by reference; it must be there. */
export type BodyLookup = (ref: TextRef) => Uint8Array;

/** An assistant's answer as stored: what the model said and asked for, neutral of the provider. */
export interface StoredAnswer {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

const encoder = new TextEncoder();
export const COMMA = encoder.encode(',');
export const TAIL = encoder.encode(']}');

const message = (value: object): Uint8Array => encoder.encode(JSON.stringify(value));

export function textOf(ref: TextRef, body: BodyLookup): string {
  return decodeText(body(ref), ref.escaped === true);
}

export interface RenderedHead {
  readonly bytes: Uint8Array;
  readonly frame: number;
  readonly instructions: number;
  readonly tools: number;
}

/** Everything before the first part: model, output cap, tools, instructions. Fixed within a run and purpose. */
export function renderHead(model: RunAdmitted['model'], frame: Frame, body: BodyLookup): RenderedHead {
  const cap = model.outputCap === null ? '' : `"max_completion_tokens":${model.outputCap},`;
  const opening = encoder.encode(
    `{"model":${JSON.stringify(model.name)},${cap}"stream":true,"stream_options":{"include_usage":true},`,
  );
  const tools = frame.tools === null ? new Uint8Array() : encoder.encode(`"tools":${textOf(frame.tools, body)},`);
  const messages = encoder.encode('"messages":[');
  const instructions = message({ role: 'system', content: textOf(frame.instructions, body) });
  return {
    bytes: concat([opening, tools, messages, instructions]),
    frame: opening.length + messages.length + TAIL.length,
    instructions: instructions.length,
    tools: tools.length,
  };
}

export const EMPTY_ANSWER_NOTE =
  '[Waymark] Your last answer was empty or cut off: no tool call came. Continue with the task, or finish the report.';

export function renderPart(part: Part, body: BodyLookup): Uint8Array {
  switch (part.kind) {
    case 'question':
      return message({ role: 'user', content: textOf(part.text, body) });
    case 'answer': {
      const answer = storedAnswer(part.text, body);
      return message({
        role: 'assistant',
        content: answer.text === '' ? null : answer.text,
        ...(answer.calls.length === 0
          ? {}
          : {
              tool_calls: answer.calls.map((c) => ({
                id: c.id,
                type: 'function',
                function: { name: c.name, arguments: c.arguments },
              })),
            }),
      });
    }
    case 'empty':
      return message({ role: 'user', content: EMPTY_ANSWER_NOTE });
    case 'result': {
      const call = storedAnswer(part.answer, body).calls[part.index];
      if (!call) throw new Error(`answer of turn ${part.turn} has no call ${part.index}`);
      return message({ role: 'tool', tool_call_id: call.id, content: resultText(part, body) });
    }
    case 'summary':
      return message({
        role: 'user',
        content: `[Summary of turns ${part.from}–${part.to}]\n${textOf(part.text, body)}\n[Results of these turns, each can be read back as result:<id>: ${part.actions === '' ? 'none' : part.actions}]`,
      });
    case 'advice':
      return message({ role: 'user', content: `[Review advice]\n${textOf(part.text, body)}` });
    case 'map':
      return message({ role: 'user', content: `[Report so far]\n${textOf(part.text, body)}` });
  }
}

function resultText(part: Extract<Part, { kind: 'result' }>, body: BodyLookup): string {
  const { entry } = part;
  switch (entry.form.form) {
    case 'full':
      return textOf(entry.settled.result, body);
    case 'head': {
      const bytes = body(entry.settled.result);
      const cut = cutAtCharacter(bytes, entry.form.bytes);
      const head = new TextDecoder().decode(bytes.subarray(0, cut));
      return `${head}\n${JSON.stringify({ paged: true, locator: `result:${entry.action}`, had: [[0, cut]], bytes: bytes.length, how: `read_back {"locator":"result:${entry.action}","start":${cut}}` })}`;
    }
    case 'stub':
      return stubText(entry.action, entry.settled.title, entry.settled.result.bytes, entry.form.had);
  }
}

/** What stands for a retired body (C4): locator, title, size, ranges had, how to read on. */
export function stubText(
  action: string,
  title: string,
  bytes: number,
  had: readonly (readonly [number, number])[],
): string {
  return JSON.stringify({
    retired: true,
    locator: `result:${action}`,
    title,
    bytes,
    had,
    how: `read_back {"locator":"result:${action}"}`,
  });
}

/** The largest cut at or below `limit` that splits no UTF-8 character (C13). */
export function cutAtCharacter(bytes: Uint8Array, limit: number): number {
  if (limit >= bytes.length) return bytes.length;
  let cut = Math.max(0, limit);
  while (cut > 0 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return cut;
}

export function storedAnswer(ref: TextRef, body: BodyLookup): StoredAnswer {
  return JSON.parse(new TextDecoder().decode(body(ref))) as StoredAnswer;
}

/** Bytes of an answer as stored. JSON escapes lone surrogates, so it is always well-formed. */
export function encodeAnswer(answer: StoredAnswer): Uint8Array {
  return encoder.encode(JSON.stringify({ text: answer.text, calls: answer.calls }));
}

/** The notices' message at the end of a request (R14): one sentence a line. */
export function renderNotices(text: string): Uint8Array {
  return message({ role: 'user', content: `[Notices]\n${text}` });
}

/** Whole request from rendered pieces. */
export function assemble(head: Uint8Array, parts: readonly Uint8Array[], notices: Uint8Array | null): Uint8Array {
  const pieces: Uint8Array[] = [head];
  for (const part of parts) pieces.push(COMMA, part);
  if (notices) pieces.push(COMMA, notices);
  pieces.push(TAIL);
  return concat(pieces);
}

/** Which column of {@link PART_KINDS} a part's bytes count in. */
export function partKind(part: Part): PartKind {
  switch (part.kind) {
    case 'question':
      return 'question';
    case 'answer':
    case 'empty':
      return 'turns';
    case 'result':
      return part.entry.form.form === 'stub' ? 'stubs' : 'results';
    case 'summary':
    case 'map':
      return 'summaries';
    case 'advice':
      return 'advice';
  }
}

export const partColumn = (kind: PartKind): number => PART_KINDS.indexOf(kind);
