/** The request of purpose `summarize`: made from original turns, never from a summary (C7, F-C8). */
import { concat } from './chain.js';
import type { RunAdmitted } from './facts.js';
import { cutAtCharacter, storedAnswer, textOf, type BodyLookup } from './part-text.js';
import { rendererOf } from './render.js';
import type { Entry } from './transcript.js';

type TurnEntry = Extract<Entry, { kind: 'turn' }>;

/**
 * One user message that holds the question and the original turns as data; every result is cut to `resultCap` bytes on
 * a character border, and says so.
 */
export function renderSummarize(
  admitted: RunAdmitted,
  turns: readonly TurnEntry[],
  resultCap: number,
  body: BodyLookup,
): Uint8Array {
  const renderer = rendererOf(admitted);
  const head = renderer.head(admitted.model, admitted.frames.summarize, body);
  const lines: string[] = [`Question: ${textOf(admitted.question, body)}`, ''];
  for (const turn of turns) {
    const answer = turn.answer ? storedAnswer(turn.answer, body) : { text: '', calls: [] };
    lines.push(`--- turn ${turn.turn}`, answer.text);
    for (const [index, result] of turn.results.entries()) {
      const call = answer.calls[index];
      const bytes = body(result.settled.result);
      const cut = cutAtCharacter(bytes, resultCap);
      const more = cut < bytes.length ? `\n[cut: ${cut} of ${bytes.length} bytes]` : '';
      lines.push(
        `[call ${result.action} ${result.tool} ${call?.arguments ?? ''}]`,
        new TextDecoder().decode(bytes.subarray(0, cut)) + more,
      );
    }
  }
  return concat([head.bytes, renderer.alone(lines.join('\n'))]);
}
