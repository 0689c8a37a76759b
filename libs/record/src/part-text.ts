/** The words of a request's parts, the same whatever API carries them. */
import { decodeText } from './canonical.js';
import type { TextRef } from './facts.js';
import type { Part } from './transcript.js';

/** A stored body by reference; it must be there. */
export type BodyLookup = (ref: TextRef) => Uint8Array;

/** An assistant's answer as stored: what the model said and asked for, neutral of the provider. */
export interface StoredAnswer {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
}

const EMPTY_ANSWER_NOTE =
  '[Waymark] Your last answer was empty or cut off: no tool call came. Continue with the task, or finish the report.';

export function textOf(ref: TextRef, body: BodyLookup): string {
  return decodeText(body(ref), ref.escaped === true);
}

/** What a part says in the user's place: everything but answers and results. */
export function userText(part: Exclude<Part, { kind: 'answer' | 'result' }>, body: BodyLookup): string {
  switch (part.kind) {
    case 'question':
      return textOf(part.text, body);
    case 'empty':
      return EMPTY_ANSWER_NOTE;
    case 'summary':
      return `[Summary of turns ${part.from}–${part.to}]\n${textOf(part.text, body)}\n[Results of these turns, each can be read back as result:<id>: ${part.actions === '' ? 'none' : part.actions}]`;
    case 'advice':
      return `[Review advice]\n${textOf(part.text, body)}`;
    case 'map':
      return `[Report so far]\n${textOf(part.text, body)}`;
  }
}

export function resultText(part: Extract<Part, { kind: 'result' }>, body: BodyLookup): string {
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

/** The notices at the end of a request (R14): one sentence a line. */
export const noticesText = (lines: string): string => `[Notices]\n${lines}`;

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

/** Letters, digits, `_` and `-` are all that the APIs take in a tool's name, and a model can invent any. */
export const plainName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';

/** Bytes of an answer as stored. JSON escapes lone surrogates, so it is always well-formed. */
export function encodeAnswer(answer: StoredAnswer): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ text: answer.text, calls: answer.calls }));
}
