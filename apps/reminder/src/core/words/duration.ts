import type { Language } from '@waymark/contracts';

/**
 * Milliseconds as minutes and seconds with their units: `12 min 40 s`, `45 s`, `12 分 40 秒`. Time used is rounded up and
 * time left down, so that no sentence promises more than there is.
 */
export function duration(ms: number, language: Language, rounding: 'up' | 'down'): string {
  const seconds = rounding === 'up' ? Math.ceil(ms / 1000) : Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  const [minute, second] = language === 'zh' ? ['分钟', '秒'] : ['min', 's'];
  if (minutes === 0) return `${rest} ${second}`;
  if (rest === 0) return `${minutes} ${minute}`;
  return `${minutes} ${language === 'zh' ? '分' : minute} ${rest} ${second}`;
}
