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

it('the provider’s keys are read, and what is wrong with them is named', () => {
  const read = readRuntimeConfig({ ...ENV, MODEL_API: 'anthropic', MODEL_KEY: 'sk-good_1.x\n' });
  expect(read).toMatchObject({ MODEL_API: 'anthropic', MODEL_KEY: 'sk-good_1.x' });
  expect(problem({ MODEL_API: 'other' })).toContain('MODEL_API: not known; set one of openai, anthropic');
  expect(problem({ MODEL_KEY: 'sk-hidden 1' })).toContain('MODEL_KEY: not valid; a key has visible ASCII');
  expect(problem({ MODEL_KEY: 'sk-hidden 1' })).not.toContain('hidden');
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
