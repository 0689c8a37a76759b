/** From a start message to a run's first fact: policy resolved, texts fixed, the floor's fit checked (B7, C17). Pure. */
import { resolvePolicy, type Policy } from '@waymark/contracts/policy';
import { MAX_QUESTION_BYTES, type start } from '@waymark/contracts/runtime';
import type { ErrorBody, Language, ParsedRequestOf } from '@waymark/contracts';
import { ANTHROPIC_OUTPUT_CAP } from '@waymark/model';
import { encodeText, RECORD_FORMAT, RENDERERS, type RunAdmitted, type TextRef } from '@waymark/record';
import type { NewBody } from '@waymark/persistence/holder';
import type { RuntimeConfig } from '../config.js';
import { floorBytes } from '../core/decide-fit.js';
import { hasWords } from '../core/has-words.js';
import { INSTRUCTIONS } from '../core/instructions.js';
import { sha256 } from '../run/sha256.js';
import { toolsJson } from '../tools/tool-list.js';

export interface Admission {
  readonly key: string;
  /** Digest of what was asked for, to tell a repeated start from another one under its key. */
  readonly digest: Buffer;
  readonly question: string;
  readonly corpus: string;
  readonly policy: Policy;
  readonly fact: RunAdmitted;
  readonly bodies: readonly NewBody[];
}

export type PreparedAdmission =
  { readonly ok: true; readonly admission: Admission } | { readonly ok: false; readonly error: ErrorBody };

export function prepareAdmission(request: ParsedRequestOf<typeof start>, config: RuntimeConfig): PreparedAdmission {
  const { question } = request;
  const size = Buffer.byteLength(question);
  if (!isKey(request.key)) {
    return refuse(
      'invalid_field',
      'the key has control characters or half a character',
      'use printable characters',
      'key',
    );
  }
  if (!hasWords(question)) {
    return refuse('empty_question', 'the question has no words', 'say what is to be found out', 'question');
  }
  if (size > MAX_QUESTION_BYTES) {
    return refuse(
      'question_too_large',
      `the question has ${size} bytes; at most ${MAX_QUESTION_BYTES} are taken`,
      'put material into documents of the corpus and ask about it',
      'question',
    );
  }
  const hard = request.overrides.hardLimitBytes ?? config.MODEL_HARD_LIMIT_BYTES;
  const resolved = resolvePolicy(
    request.policy,
    hard === undefined ? request.overrides : { ...request.overrides, hardLimitBytes: hard },
  );
  if (!resolved.ok) return resolved;
  const { policy } = resolved;
  const bodies = new Map<string, NewBody>();
  const put = (text: string): TextRef => {
    const { bytes, escaped } = encodeText(text);
    const digest = sha256(bytes);
    bodies.set(digest.toString('hex'), { digest, body: bytes });
    return { digest: digest.toString('hex'), bytes: bytes.length, ...(escaped ? { escaped: true as const } : {}) };
  };
  const dialect = config.MODEL_API;
  const renderer = RENDERERS[dialect];
  const fact: RunAdmitted = {
    type: 'RunAdmitted',
    format: RECORD_FORMAT,
    renderer: renderer.version,
    question: put(question),
    language: request.language ?? languageOf(question),
    corpus: request.corpus,
    policy,
    model: { name: request.model ?? config.MODEL_NAME, dialect, outputCap: outputCap(config) },
    frames: {
      explore: { instructions: put(INSTRUCTIONS.explore), tools: put(toolsJson('explore', dialect)) },
      finish: { instructions: put(INSTRUCTIONS.finish), tools: put(toolsJson('finish', dialect)) },
      summarize: { instructions: put(INSTRUCTIONS.summarize), tools: null },
    },
  };
  const lookup = (ref: TextRef) => bodies.get(ref.digest)?.body ?? new Uint8Array();
  const head = Math.max(
    ...(['explore', 'finish'] as const).map((p) => renderer.head(fact.model, fact.frames[p], lookup).size),
  );
  const floor = floorBytes(head, Buffer.byteLength(JSON.stringify(question)), policy.context.mapBytes);
  const limit = policy.context.hardLimitBytes - policy.context.noticeRoomBytes;
  if (floor > limit) {
    return refuse(
      'question_too_large',
      `instructions, tools, question and the report's map take ${floor} bytes; the hard limit leaves ${limit}`,
      'shorten the question or choose a policy or model with a larger hard limit',
      'question',
    );
  }
  return {
    ok: true,
    admission: {
      key: request.key,
      digest: askedDigest(request),
      question,
      corpus: request.corpus,
      policy,
      fact,
      bodies: [...bodies.values()],
    },
  };
}

/** Two keys with a half character in the same place would be one where they are stored. */
export const isKey = (key: string): boolean => !/[\u0000-\u001f\u007f\p{Cs}]/u.test(key);

/** Of what was asked for; the configuration is none of it. */
export const askedDigest = (request: ParsedRequestOf<typeof start>): Buffer =>
  sha256(
    Buffer.from(
      JSON.stringify([
        request.question,
        request.corpus,
        request.policy,
        Object.entries(request.overrides).sort(),
        request.language ?? null,
        request.model ?? null,
      ]),
    ),
  );

/** The smaller of the configured cap and the provider's known one; none is invented where the API needs none (C9). */
function outputCap(config: RuntimeConfig): number | null {
  const caps = [config.MODEL_OUTPUT_CAP, config.MODEL_PROVIDER_CAP].filter((x) => x !== undefined);
  if (config.MODEL_API === 'anthropic' && config.MODEL_OUTPUT_CAP === undefined) caps.push(ANTHROPIC_OUTPUT_CAP);
  return caps.length === 0 ? null : Math.min(...caps);
}

const languageOf = (question: string): Language => (/\p{Script=Han}/u.test(question) ? 'zh' : 'en');

function refuse(code: string, message: string, remedy: string, field: string): PreparedAdmission {
  return { ok: false, error: { code, message, remedy, field } };
}
