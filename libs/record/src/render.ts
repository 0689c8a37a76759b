/** Which renderer makes a request, and what is the same for all of them. */
import { concat } from './chain.js';
import { PART_KINDS, type PartKind, type RunAdmitted } from './facts.js';
import { anthropicRenderer } from './render-anthropic.js';
import { openAiRenderer } from './render-openai.js';
import type { Renderer } from './renderer.js';
import type { Part } from './transcript.js';

export type Dialect = RunAdmitted['model']['dialect'];

/** The renderer of new runs, by API. */
export const RENDERERS: Readonly<Record<Dialect, Renderer>> = { openai: openAiRenderer, anthropic: anthropicRenderer };

/** The renderer that a run was admitted with (E3). */
export function rendererOf({ renderer }: Pick<RunAdmitted, 'renderer'>): Renderer {
  const known = Object.values(RENDERERS).find(({ version }) => version === renderer);
  if (!known) throw new Error(`this release has no renderer ${renderer}`);
  return known;
}

/** Whole request from rendered pieces. */
export const assemble = (
  { tail }: Renderer,
  head: Uint8Array,
  parts: readonly Uint8Array[],
  notices: Uint8Array | null,
): Uint8Array => concat([head, ...parts, ...(notices ? [notices] : []), tail]);

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
