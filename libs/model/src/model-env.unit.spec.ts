import { z } from 'zod';
import { modelEnv } from './model-env.js';

const environment = z.object(modelEnv);
const GOOD = { MODEL_URL: 'https://host/v1' };
/** What is wrong, by key. */
const problems = (change: Record<string, string>): Record<string, unknown> =>
  z.flattenError(environment.safeParse({ ...GOOD, ...change }).error ?? new z.ZodError([])).fieldErrors;

describe('the model’s provider', () => {
  it('speaks OpenAI’s API unless it is said to speak Anthropic’s; another is refused', () => {
    expect(environment.parse(GOOD)).toEqual({ ...GOOD, MODEL_API: 'openai', MODEL_KEY: '' });
    expect(environment.parse({ ...GOOD, MODEL_API: 'anthropic' }).MODEL_API).toBe('anthropic');
    expect(Object.keys(problems({ MODEL_API: 'other' }))).toEqual(['MODEL_API']);
  });

  it('a key that no header could carry is refused and never shown', () => {
    expect(environment.parse({ ...GOOD, MODEL_KEY: 'sk-good_1.x' }).MODEL_KEY).toBe('sk-good_1.x');
    for (const MODEL_KEY of ['sk-hidden\nX: y', 'sk-hidden 1', 'sk-hidden-é'])
      expect(problems({ MODEL_KEY })).toEqual({ MODEL_KEY: ['a key has visible ASCII characters only'] });
  });

  it('an address with a user or a key in it is refused: addresses stand in caches and logs', () => {
    for (const url of ['https://u:hidden@host/v1', 'https://host/v1?key=hidden', 'https://host/v1#hidden', 'host/v1']) {
      expect(Object.keys(problems({ MODEL_URL: url }))).toEqual(['MODEL_URL']);
      expect(JSON.stringify(problems({ MODEL_URL: url }))).not.toContain('hidden');
    }
  });

  it('every address that a provider may have is taken, and one that cannot be read is refused', () => {
    for (const url of ['https://host/v1', 'http://127.0.0.1:8000/v1', 'http://[::1]:8000/v1', 'http://模型.example/v1'])
      expect(problems({ MODEL_URL: url })).toEqual({});
    for (const url of ['http://[bad/v1', 'http://h:99999/v1'])
      expect(problems({ MODEL_URL: url })).toEqual({ MODEL_URL: [expect.stringContaining('no address can be read')] });
    expect(Object.keys(problems({ MODEL_URL: 'ftp://h/v1' }))).toEqual(['MODEL_URL']);
  });
});
