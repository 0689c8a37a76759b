import { configKeys } from '@waymark/testing';

/** What is wrong with the keys that a program is given: those that it does not read, and needed ones that are not there. */
export function keyProblems(app: string, given: readonly string[]): string[] {
  const known = configKeys(app);
  const has = (key: string): boolean => given.includes(key) || given.includes(`${key}_FILE`);
  const reads = (key: string): boolean => known.some((one) => key === one.key || key === `${one.key}_FILE`);
  return [
    ...given.filter((key) => !reads(key)).map((key) => `${app} does not read ${key}`),
    ...known.filter((one) => one.required && !has(one.key)).map(({ key }) => `${app} needs ${key}`),
  ];
}

/** The same for a migrate job, which reads two of them. */
export const migrateProblems = (app: string, given: readonly string[]): string[] => [
  ...given
    .filter((key) => !['DATABASE_URL', 'LOG_LEVEL'].includes(key))
    .map((key) => `${app}-migrate does not read ${key}`),
  ...(given.includes('DATABASE_URL') ? [] : [`${app}-migrate needs DATABASE_URL`]),
];

/** A default of a `config.ts`, as a number; throws when there is none. */
export function defaultOf(app: string, key: string): number {
  const value = Number(configKeys(app).find((one) => one.key === key)?.fallback);
  if (!Number.isFinite(value)) throw new Error(`${app} has no number as default of ${key}`);
  return value;
}
