import { readReviewerConfig } from './config.js';

const ENV = {
  NATS_URL: 'nats://h:4222',
  DATABASE_URL: 'postgres://u:p@h/d',
  MODEL_URL: 'https://host/v1',
};
const problem = (change: Record<string, string>): string => {
  try {
    readReviewerConfig({ ...ENV, ...change });
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
};

it('the provider’s keys are read, and what is wrong with them is named', () => {
  const read = readReviewerConfig({ ...ENV, MODEL_API: 'anthropic', MODEL_KEY: 'sk-good_1.x\n' });
  expect(read).toMatchObject({ modelApi: 'anthropic', modelKey: 'sk-good_1.x' });
  expect(problem({ MODEL_API: 'other' })).toContain('MODEL_API: not known; set one of openai, anthropic');
  expect(problem({ MODEL_KEY: 'sk-hidden 1' })).toContain('MODEL_KEY: not valid; a key has visible ASCII');
  expect(problem({ MODEL_KEY: 'sk-hidden 1' })).not.toContain('hidden');
});
