import { start } from '@waymark/contracts/runtime';
import { POLICIES } from '@waymark/contracts/policy';
import type { RequestOf } from '@waymark/contracts';
import { CONFIG, utf8 } from '../../test/played-run.js';
import { ANTHROPIC_OUTPUT_CAP } from '@waymark/model';
import type { RuntimeConfig } from '../config.js';
import { prepareAdmission, type Admission } from './prepare-admission.js';

const KIB = 1024;
const request = (over: Partial<RequestOf<typeof start>> = {}) =>
  start.request.parse({ key: 'k', question: 'Which fund is cheaper?', corpus: 'c', ...over });
const prepare = (over: Partial<RequestOf<typeof start>> = {}, config: Partial<RuntimeConfig> = {}) =>
  prepareAdmission(request(over), { ...CONFIG, ...config });
function admitted(over: Partial<RequestOf<typeof start>> = {}, config: Partial<RuntimeConfig> = {}): Admission {
  const prepared = prepare(over, config);
  if (!prepared.ok) throw new Error(prepared.error.code);
  return prepared.admission;
}
const refusal = (over: Partial<RequestOf<typeof start>>) => {
  const prepared = prepare(over);
  return prepared.ok ? null : [prepared.error.code, prepared.error.field];
};

describe('bad input is refused with code, remedy and field', () => {
  it.each<[string, Partial<RequestOf<typeof start>>, string, string]>([
    ['a question of blanks', { question: ' \n\t ' }, 'empty_question', 'question'],
    ['a question of NULs', { question: '\u0000' }, 'empty_question', 'question'],
    ['a question of 200 KiB', { question: 'q'.repeat(200 * KIB) }, 'question_too_large', 'question'],
    ['200 KiB of Chinese counted in bytes', { question: '费'.repeat(22 * KIB) }, 'question_too_large', 'question'],
    ['an unknown policy', { policy: 'gold' }, 'unknown_policy', 'policy'],
    ['a policy named constructor', { policy: 'constructor' }, 'unknown_policy', 'policy'],
    ['an active limit under 60 s', { overrides: { activeMs: 59_999 } }, 'limit_too_short', 'activeMs'],
    ['a wall limit under 60 s', { overrides: { wallMs: 1 } }, 'limit_too_short', 'wallMs'],
    ['a user deadline under 60 s', { overrides: { userDeadlineMs: 0 } }, 'limit_too_short', 'userDeadlineMs'],
    ['a hard limit without room', { overrides: { hardLimitBytes: 9 * KIB } }, 'hard_limit_too_small', 'hardLimitBytes'],
    [
      'a reserve that cannot carry its finish',
      { overrides: { finishReserve: 1 } },
      'reserve_too_small',
      'finishReserve',
    ],
    [
      'fewer requests than the reserve',
      { overrides: { physicalRequests: 5 } },
      'physical_too_small',
      'physicalRequests',
    ],
  ])('C17, B7: %s', (_, over, code, field) => {
    expect(refusal(over)).toEqual([code, field]);
    const prepared = prepare(over);
    if (!prepared.ok) expect(prepared.error.remedy).not.toBe('');
  });

  it('C17, C16: a floor that cannot fit is refused at the start with its numbers, to the byte', () => {
    const limitOf = (hardLimitBytes: number) => prepare({ overrides: { hardLimitBytes } });
    const small = limitOf(12 * KIB);
    expect(small).toMatchObject({ ok: false, error: { code: 'question_too_large', field: 'question' } });
    const needed = small.ok ? 0 : Number(/take (\d+) bytes/.exec(small.error.message)?.[1]) + 2 * KIB;
    expect([limitOf(needed - 1).ok, limitOf(needed).ok]).toEqual([false, true]);
    const longer = prepare({
      question: `Which fund is cheaper?${'"'.repeat(10)}`,
      overrides: { hardLimitBytes: needed },
    });
    expect(longer.ok).toBe(false);
  });

  it('C13: a question is weighed in bytes as it is sent, not in characters', () => {
    const weightOf = (question: string): number => {
      const refused = prepare({ question, overrides: { hardLimitBytes: 12 * KIB } });
      return refused.ok ? 0 : Number(/take (\d+) bytes/.exec(refused.error.message)?.[1]);
    };
    expect(weightOf('费'.repeat(100)) - weightOf('x'.repeat(100))).toBe(200);
  });
});

describe('what a run is admitted with', () => {
  it('B7: every number of its policy, whatever the defaults become', () => {
    expect(admitted().fact.policy).toEqual(POLICIES.standard);
    expect(admitted({ policy: 'deep' }).policy.limits).toMatchObject({ activeMs: 90 * 60_000, wallMs: 120 * 60_000 });
    const { limits } = admitted({ overrides: { exploreRequests: 10, activeMs: 60_000 } }).policy;
    expect(limits).toMatchObject({ exploreRequests: 10, physicalRequests: 26, outputMs: 15_000 });
    expect(limits.wallMs).toBe(POLICIES.standard.limits.wallMs);
  });

  it('P3: a configured number of revisions wins, and 0 means 0', () => {
    expect(admitted({ overrides: { revisionsPerBlock: 0, revisionsPerRun: 0 } }).policy.revisions).toEqual({
      perBlock: 0,
      perRun: 0,
    });
  });

  it('C16: the hard limit is the caller’s, else the model’s, else the policy’s', () => {
    const config = { MODEL_HARD_LIMIT_BYTES: 200 * KIB };
    const hard = (a: Admission) => a.policy.context.hardLimitBytes;
    expect(hard(admitted())).toBe(400 * KIB);
    expect(hard(admitted({}, config))).toBe(200 * KIB);
    expect(hard(admitted({ overrides: { hardLimitBytes: 100 * KIB } }, config))).toBe(100 * KIB);
  });

  it('C9: the output cap is the smaller of the configured and the provider’s, one of them alone, and none invented', () => {
    const cap = (config: Partial<RuntimeConfig>) => admitted({}, config).fact.model.outputCap;
    expect(cap({ MODEL_OUTPUT_CAP: 900, MODEL_PROVIDER_CAP: 800 })).toBe(800);
    expect(cap({ MODEL_OUTPUT_CAP: 700, MODEL_PROVIDER_CAP: 800 })).toBe(700);
    expect(cap({ MODEL_OUTPUT_CAP: 900 })).toBe(900);
    expect(cap({ MODEL_PROVIDER_CAP: 800 })).toBe(800);
    expect(cap({})).toBeNull();
  });

  it('C9: where the API demands a cap and none is configured, a named one stands, and the provider’s own when smaller', () => {
    const cap = (config: Partial<RuntimeConfig>) =>
      admitted({}, { MODEL_API: 'anthropic', ...config }).fact.model.outputCap;
    expect(cap({})).toBe(ANTHROPIC_OUTPUT_CAP);
    expect(cap({ MODEL_PROVIDER_CAP: 800 })).toBe(800);
    expect(cap({ MODEL_PROVIDER_CAP: 100_000 })).toBe(ANTHROPIC_OUTPUT_CAP);
    expect(cap({ MODEL_OUTPUT_CAP: 64_000 })).toBe(64_000);
  });

  it('E3: the first fact names the API and the renderer of every request to come', () => {
    const { fact, bodies } = admitted({}, { MODEL_API: 'anthropic' });
    expect([fact.renderer, fact.model.dialect]).toEqual([2, 'anthropic']);
    const tools = bodies.find((b) => Buffer.from(b.digest).toString('hex') === fact.frames.explore.tools?.digest);
    expect(Buffer.from(tools?.body ?? []).toString()).toContain('"input_schema"');
    const { fact: usual } = admitted();
    expect([usual.renderer, usual.model.dialect]).toEqual([1, 'openai']);
  });

  it('R15: the language is the caller’s, else Chinese when the question has Han characters', () => {
    const language = (over: Partial<RequestOf<typeof start>>) => admitted(over).fact.language;
    expect(language({})).toBe('en');
    expect(language({ question: '哪只基金更便宜?' })).toBe('zh');
    expect(language({ question: 'What does 华夏 charge?' })).toBe('zh');
    expect(language({ question: 'Welcher Fonds ist günstiger?' })).toBe('en');
    expect(language({ question: '哪只基金更便宜?', language: 'en' })).toBe('en');
  });

  it('C1, C12: the question’s words are stored once, as they will stand in every request; all bodies by their digest', () => {
    const question = 'Fees? 费率"\\n\n\\u0000';
    const { fact, bodies } = admitted({ question });
    const stored = bodies.find((b) => Buffer.from(b.digest).toString('hex') === fact.question.digest);
    expect(Buffer.from(stored?.body ?? []).toString()).toBe(question);
    expect(fact.question.bytes).toBe(utf8(question));
    const named = [fact.question, ...Object.values(fact.frames).flatMap((f) => [f.instructions, f.tools])];
    for (const ref of named)
      if (ref) expect(bodies.some((b) => Buffer.from(b.digest).toString('hex') === ref.digest)).toBe(true);
    expect(fact.frames.summarize.tools).toBeNull();
  });

  it('L2: a repeated start has the same digest in any order of its fields, another request has another', () => {
    const digest = (over: Partial<RequestOf<typeof start>>) => admitted(over).digest.toString('hex');
    const one = digest({ overrides: { activeMs: 60_000, wallMs: 70_000 } });
    expect(digest({ overrides: { wallMs: 70_000, activeMs: 60_000 }, key: 'other' })).toBe(one);
    const others = [
      {},
      { overrides: { activeMs: 60_000 } },
      { overrides: { activeMs: 60_000, wallMs: 70_001 } },
      { question: 'Another?' },
      { corpus: 'd' },
      { policy: 'deep' },
      { language: 'zh' as const },
      { model: 'x' },
    ].map(digest);
    expect(new Set([one, ...others]).size).toBe(others.length + 1);
  });
});
