import { readRuntimeConfig } from './config.js';

const ENV = {
  NATS_URL: 'nats://h:4222',
  DATABASE_URL: 'postgres://u:p@h/d',
  MODEL_URL: 'https://host/v1',
  MODEL_NAME: 'm',
};
const problem = (change: Record<string, string>): string => {
  try {
    readRuntimeConfig({ ...ENV, ...change });
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the model’s provider', () => {
  it('speaks OpenAI’s API unless it is said to speak Anthropic’s; another is refused with those that there are', () => {
    expect(readRuntimeConfig(ENV).MODEL_API).toBe('openai');
    expect(readRuntimeConfig({ ...ENV, MODEL_API: 'anthropic' }).MODEL_API).toBe('anthropic');
    expect(problem({ MODEL_API: 'other' })).toContain('MODEL_API: not known; set one of openai, anthropic');
  });

  it('a key that no header could carry is refused at boot and never shown', () => {
    expect(readRuntimeConfig({ ...ENV, MODEL_KEY: 'sk-good_1.x' }).MODEL_KEY).toBe('sk-good_1.x');
    expect(readRuntimeConfig({ ...ENV, MODEL_KEY: 'sk-good_1.x\n' }).MODEL_KEY).toBe('sk-good_1.x');
    for (const key of ['sk-hidden\nX: y', 'sk-hidden 1', 'sk-hidden-é']) {
      expect(problem({ MODEL_KEY: key })).toContain('MODEL_KEY: not valid; a key has visible ASCII characters only');
      expect(problem({ MODEL_KEY: key })).not.toContain('hidden');
    }
  });

  it('an address with a user or a key in it is refused: addresses stand in caches and logs', () => {
    for (const url of ['https://u:hidden@host/v1', 'https://host/v1?key=hidden', 'https://host/v1#hidden', 'host/v1']) {
      expect(problem({ MODEL_URL: url })).toContain('MODEL_URL: not valid');
      expect(problem({ MODEL_URL: url })).not.toContain('hidden');
    }
  });
});

it('L2: heartbeats that come too late for the lease are refused: every owner would lose its runs to the next', () => {
  expect(readRuntimeConfig({ ...ENV, LEASE_MS: '4000', HEARTBEAT_MS: '2000' }).HEARTBEAT_MS).toBe(2_000);
  const late: Record<string, string>[] = [
    { LEASE_MS: '4000', HEARTBEAT_MS: '2001' },
    { LEASE_MS: '9000' },
    { HEARTBEAT_MS: '60000' },
  ];
  for (const change of late) {
    expect(problem(change)).toContain('HEARTBEAT_MS: not valid; expected at most half of LEASE_MS');
  }
});
