/** A share from which on something is told: `half`, `75 %`. */
export const atLeast = {
  en: (percent: number): string => (percent === 50 ? 'half' : `${percent} %`),
  zh: (percent: number): string => (percent === 50 ? '一半' : ` ${percent}%`),
} as const;
