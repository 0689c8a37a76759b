import { WireError } from '@waymark/messaging';

export const unknownRun = (run: string): WireError =>
  new WireError({
    code: 'unknown_run',
    message: `there is no report of run ${run}`,
    remedy: 'open it first, or check the id',
    field: 'run',
  });

/** What was found, or the coded answer that the run is unknown. */
export function known<T>(found: T | null, run: string): T {
  if (found === null) throw unknownRun(run);
  return found;
}
