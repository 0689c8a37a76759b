import { answerBench } from './bench/answer-bench.js';
import type { Answer } from './protocol/answer.js';
import type { ChatRequest } from './protocol/chat-request.js';
import { invalid, unknownModel, type ApiRefusal } from './protocol/error-body.js';
import { isModel } from './protocol/models.js';
import type { RequestPeek } from './protocol/peek-request.js';
import type { RawBody } from './protocol/raw-body.js';
import { answerResearch } from './researcher/answer-research.js';

/**
 * What the named model answers, or why the request is refused. `text` decodes the body as UTF-8 and `validate` reads it as
 * its API has it; the bench model never asks for either.
 */
export function decideAnswer(
  peek: RequestPeek,
  raw: RawBody,
  text: () => string,
  validate: (body: unknown) => { ok: true; request: ChatRequest } | { ok: false; refusal: ApiRefusal },
): { ok: true; answer: Answer } | { ok: false; refusal: ApiRefusal } {
  if (peek.model === 'practice-bench') {
    const whole = raw.slice(0, 1) === '{' && raw.slice(-64).trimEnd().endsWith('}') && raw.indexOf('"messages"') > 0;
    if (!whole) return { ok: false, refusal: notJson };
    return { ok: true, answer: answerBench(raw, peek.purpose) };
  }
  let body: unknown;
  try {
    body = JSON.parse(text());
  } catch {
    return { ok: false, refusal: notJson };
  }
  const valid = validate(body);
  if (!valid.ok) return valid;
  if (!isModel(valid.request.model)) return { ok: false, refusal: unknownModel(valid.request.model) };
  return { ok: true, answer: cappedAt(valid.request.maxTokens, answerResearch(valid.request)) };
}

/** As a provider cuts it: four characters a token, and calls that did not fit are not made. */
export function cappedAt(maxTokens: number | undefined, answer: Answer): Answer {
  const room = maxTokens === undefined ? Infinity : maxTokens * 4;
  const size = answer.calls.reduce((n, call) => n + call.name.length + call.arguments.length, answer.text.length);
  return size <= room ? answer : { text: answer.text.slice(0, room), calls: [], finish: 'length' };
}

const notJson = invalid('We could not parse the JSON body of your request.');
