/**
 * Renderers: parts to the bytes of a request (E3, R14, C13). One for each API; each has a version, the run's first fact
 * names it, and a run keeps it. What a released one renders never changes: another form is another version.
 *
 * 1. body = head + parts + notices + tail, nothing between. Model, tools and instructions stand in the head and the
 *    notices after all parts, so the bytes before them stay equal from one request to the next (R14).
 * 2. A part renders from its own stored texts alone, with what joins it to the part before; the same part always gives the
 *    same bytes.
 * 3. Sizes are bytes of these bytes (C13).
 */
import { concat } from './chain.js';
import type { Frame, RunAdmitted } from './facts.js';
import type { BodyLookup } from './part-text.js';
import type { Part } from './transcript.js';

export interface RenderedHead {
  readonly bytes: Uint8Array;
  /** Bytes of a request without any part: head and tail. */
  readonly size: number;
  readonly frame: number;
  readonly instructions: number;
  readonly tools: number;
}

/** Pieces of a head; `opening` and `messages` are the frame that no part of a run fills. */
export interface HeadPieces {
  readonly opening: Uint8Array;
  readonly tools: Uint8Array;
  readonly instructions: Uint8Array;
  readonly messages: Uint8Array;
}

/** A head of these pieces in this order, with its sizes. */
export function measuredHead(pieces: HeadPieces, order: readonly (keyof HeadPieces)[], tail: Uint8Array): RenderedHead {
  const bytes = concat(order.map((name) => pieces[name]));
  return {
    bytes,
    size: bytes.length + tail.length,
    frame: pieces.opening.length + pieces.messages.length + tail.length,
    instructions: pieces.instructions.length,
    tools: pieces.tools.length,
  };
}

export interface Renderer {
  readonly version: number;
  /** Everything before the first part: model, output cap, tools, instructions. Fixed within a run and purpose. */
  head(model: RunAdmitted['model'], frame: Frame, body: BodyLookup): RenderedHead;
  part(part: Part, body: BodyLookup): Uint8Array;
  /** At the end of a request, after its parts (R14). */
  notices(text: string): Uint8Array;
  /** In place of parts and tail: one message of the user's, and the end. */
  alone(text: string): Uint8Array;
  readonly tail: Uint8Array;
}
