/** What several commands are given. */
import { runId } from '@waymark/contracts/wire';
import { WrongUse } from '../wrong-use.js';

/** A run's id as it was typed. Refuses `invalid_field`. */
export function parseRun(text: string): string {
  if (runId.safeParse(text).success) return text;
  throw new WrongUse({
    code: 'invalid_field',
    message: `"${text.slice(0, 80)}" is no id of a run`,
    remedy: 'waymark list shows ids',
    field: 'run',
  });
}

/** For options that may be given again. */
export const collect = (value: string, before: readonly string[]): string[] => [...before, value];
