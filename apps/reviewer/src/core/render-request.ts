import type { Language } from '@waymark/contracts';
import type { Report } from '@waymark/contracts/publication';
import { cutText, shareOut, utf8Bytes } from './cut-text.js';
import { fenced, instructionsFor } from './instructions.js';

export interface Material {
  readonly question: string;
  readonly focus: string | null;
  readonly report: Pick<Report, 'version' | 'blocks' | 'gaps'>;
}

export interface RequestFrame {
  readonly api: 'openai' | 'anthropic';
  readonly model: string;
  /** Tokens. */
  readonly outputCap: number | undefined;
  readonly language: Language;
  readonly hardLimitBytes: number;
  /** Makes the fence's mark from the material: what stands inside cannot know it. */
  readonly markOf: (material: string) => string;
}

export interface RenderedRequest {
  readonly body: string;
  readonly bytes: number;
  readonly textBytes: number;
  readonly shownBytes: number;
}

/**
 * The whole request as JSON text of at most `hardLimitBytes` in UTF-8 (C16): the whole map (V3), texts cut alike to what
 * fits. Null when not even the map without texts fits.
 */
export function renderRequest(material: Material, frame: RequestFrame): RenderedRequest | null {
  const sizes = material.report.blocks.map(({ text }) => utf8Bytes(text));
  const textBytes = sizes.reduce((sum, size) => sum + size, 0);
  let room = textBytes;
  for (;;) {
    const shares = shareOut(sizes, room);
    const texts = material.report.blocks.map(({ text }, i) => cutText(text, shares[i] ?? 0));
    const body = render(material, frame, sizes, texts);
    const bytes = utf8Bytes(body);
    if (bytes <= frame.hardLimitBytes) {
      return { body, bytes, textBytes, shownBytes: texts.reduce((sum, text) => sum + utf8Bytes(text), 0) };
    }
    if (room === 0) return null;
    // One byte of text is at least one byte of JSON, so this is enough at once but for a character that is cut.
    room = Math.max(0, room - Math.max(1, bytes - frame.hardLimitBytes));
  }
}

function render(
  { question, focus, report }: Material,
  { api, model, outputCap, language, markOf }: RequestFrame,
  sizes: readonly number[],
  texts: readonly string[],
): string {
  const blocks = report.blocks.map(({ block, title, version, citations }, i) => ({
    block,
    title,
    version,
    bytes: sizes[i] ?? 0,
    shownBytes: utf8Bytes(texts[i] ?? ''),
    citations: citations.length,
    failedCitations: citations.filter(({ status }) => status === 'failed').length,
    text: texts[i] ?? '',
  }));
  const material = JSON.stringify({
    question,
    ...(focus === null ? {} : { focus }),
    report: { version: report.version, gaps: report.gaps, blocks },
  });
  const system = instructionsFor(language);
  const user = { role: 'user', content: fenced(language, material, markOf(material)) };
  switch (api) {
    case 'openai':
      return JSON.stringify({
        model,
        ...(outputCap === undefined ? {} : { max_completion_tokens: outputCap }),
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: 'system', content: system }, user],
      });
    case 'anthropic':
      return JSON.stringify({
        model,
        max_tokens: outputCap,
        stream: true,
        // The same in every review; the material is sent once and not worth a place in the provider's cache.
        system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
        messages: [user],
      });
  }
}
