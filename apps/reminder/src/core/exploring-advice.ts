import type { Intent } from './reminder-type.js';

/** From here on, in percent of what exploring may use. */
const WRITE_FROM = 75;
const FINISH_FROM = 90;

/** What a limit on exploring asks for at a stage. Earlier stages are left to the state line. */
export function exploringIntent(stage: number): Extract<Intent, 'write' | 'finish-now'> | null {
  if (stage >= FINISH_FROM) return 'finish-now';
  return stage >= WRITE_FROM ? 'write' : null;
}

/** The part of a sentence that asks for it. */
export const ASK = {
  en: {
    plan: 'plan what the rest is for',
    write: 'begin to write and publish blocks from what is established',
    'finish-now': 'finish now with what is established',
  },
  zh: {
    plan: '请规划剩余部分的用途',
    write: '请开始把已确认的内容写成并发布区块',
    'finish-now': '请立即用已确认的内容收尾',
  },
} as const;
