/** Usage as providers reported it; null stays null until somebody reports (B13). */
import type { Usage } from './words.js';

/** `total` with `reported` in the place of what had been `counted` for the same request. */
export function withReported(total: Usage, reported: Usage | null, counted: Usage | null = null): Usage {
  const next = (name: keyof Usage): number | null => {
    const value = reported?.[name] ?? null;
    return value === null ? total[name] : (total[name] ?? 0) - (counted?.[name] ?? 0) + value;
  };
  return {
    inputTokens: next('inputTokens'),
    outputTokens: next('outputTokens'),
    cachedInputTokens: next('cachedInputTokens'),
    costMicros: next('costMicros'),
  };
}
