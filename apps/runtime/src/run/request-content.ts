/** The rendered parts of the next main request: each encoded once and kept while it stands (architecture, one turn). */
import { createHash } from 'node:crypto';
import {
  PART_KINDS,
  partColumn,
  partKind,
  partsOf,
  rendererOf,
  type MainPurpose,
  type Part,
  type RenderedHead,
  type Renderer,
  type RequestPurpose,
  type RunAdmitted,
  type TextRef,
  type Transcript,
} from '@waymark/record';
import type { BodyCache } from './body-cache.js';

export interface Serialized {
  readonly body: Buffer;
  readonly digest: string;
  /** Bytes by part, in the order of PART_KINDS. */
  readonly sizes: number[];
}

/** Room for the turns to come. */
const GROWTH = 1.25;

export class RequestContent {
  readonly #rendered = new Map<string, Buffer>();
  readonly #heads = new Map<RequestPurpose, RenderedHead>();
  readonly #renderer: Renderer;
  /** Memory of a body that nobody sends any more: a new one of 200 KB each turn is what the collector would work for. */
  #spare: Buffer | null = null;

  constructor(
    private readonly admitted: RunAdmitted,
    private readonly bodies: BodyCache,
  ) {
    this.#renderer = rendererOf(admitted);
  }

  async head(purpose: RequestPurpose): Promise<RenderedHead> {
    let head = this.#heads.get(purpose);
    if (!head) {
      const frame = this.admitted.frames[purpose];
      await this.bodies.load(frame.tools ? [frame.instructions, frame.tools] : [frame.instructions]);
      head = this.#renderer.head(this.admitted.model, frame, (ref) => this.bodies.get(ref));
      this.#heads.set(purpose, head);
    }
    return head;
  }

  /** Renders what is new in the transcript and forgets what left it. */
  async refresh(t: Transcript): Promise<Part[]> {
    const parts = partsOf(t);
    const fresh = parts.filter((p) => !this.#rendered.has(p.id));
    if (fresh.length > 0) {
      await this.bodies.load(fresh.flatMap(refsOf));
      for (const part of fresh)
        this.#rendered.set(part.id, Buffer.from(this.#renderer.part(part, (ref) => this.bodies.get(ref))));
    }
    if (this.#rendered.size > parts.length) {
      const live = new Set(parts.map((p) => p.id));
      for (const id of this.#rendered.keys()) if (!live.has(id)) this.#rendered.delete(id);
    }
    return parts;
  }

  readonly sizeOf = (part: Part): number => this.#rendered.get(part.id)?.length ?? 0;

  /** Exactly the bytes to be sent, their digest and their sizes by part. */
  async serialize(t: Transcript, purpose: MainPurpose, notices: string | null): Promise<Serialized> {
    const head = await this.head(purpose);
    const parts = await this.refresh(t);
    const sizes = PART_KINDS.map(() => 0);
    const add = (column: number, bytes: number) => {
      sizes[column] = (sizes[column] ?? 0) + bytes;
    };
    add(partColumn('frame'), head.frame);
    add(partColumn('instructions'), head.instructions);
    add(partColumn('tools'), head.tools);
    const pieces: Uint8Array[] = [head.bytes];
    for (const part of parts) {
      const bytes = this.#rendered.get(part.id);
      if (!bytes) throw new Error(`part ${part.id} is not rendered`);
      pieces.push(bytes);
      add(partColumn(partKind(part)), bytes.length);
    }
    if (notices !== null) {
      const bytes = this.#renderer.notices(notices);
      pieces.push(bytes);
      add(partColumn('notices'), bytes.length);
    }
    pieces.push(this.#renderer.tail);
    const body = this.#joined(pieces);
    return { body, digest: createHash('sha256').update(body).digest('hex'), sizes };
  }

  /** Nobody reads a body of {@link serialize} any more: its bytes may be written over. */
  release(body: Buffer): void {
    this.#spare = body;
  }

  #joined(pieces: readonly Uint8Array[]): Buffer {
    const length = pieces.reduce((sum, { length: bytes }) => sum + bytes, 0);
    const spare = this.#spare?.buffer;
    this.#spare = null;
    const room =
      spare && spare.byteLength >= length ? Buffer.from(spare) : Buffer.allocUnsafeSlow(Math.ceil(length * GROWTH));
    let at = 0;
    for (const piece of pieces) {
      room.set(piece, at);
      at += piece.length;
    }
    return room.subarray(0, length);
  }
}

export function refsOf(part: Part): TextRef[] {
  switch (part.kind) {
    case 'question':
    case 'answer':
    case 'summary':
    case 'advice':
    case 'map':
      return [part.text];
    case 'empty':
      return [];
    case 'result':
      return part.entry.form.form === 'stub' ? [part.answer] : [part.answer, part.entry.settled.result];
  }
}
