import { timeType } from '../time-type.js';

export const wallClock = timeType({
  type: 'wall-clock',
  en: { sentence: 'Time since the start', noun: 'time since the start' },
  zh: '开始以来的时间',
  quiet: 'wallMs',
  time: (budget) => budget.wall,
});
