import { timeType } from '../time-type.js';

export const activeTime = timeType({
  type: 'active-time',
  en: { sentence: 'Active time', noun: 'active time' },
  zh: '活动时间',
  quiet: 'activeMs',
  time: (budget) => budget.active,
});
