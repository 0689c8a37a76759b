/** English verbs that follow a number. */
export const areLeft = (n: number): string => `${n} ${n === 1 ? 'is' : 'are'} left`;
export const areUsed = (used: number, limit: number, what: string): string =>
  `${used} of ${limit} ${what} ${used === 1 ? 'is' : 'are'} used`;
