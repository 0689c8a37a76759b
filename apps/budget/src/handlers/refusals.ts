import { WireError } from '@waymark/messaging';

export function unknownRun(run: string): WireError {
  return new WireError({
    code: 'unknown_run',
    message: `run ${run} has no budget here`,
    remedy: 'open its budget first, or check the run',
    field: 'run',
  });
}

/** The command may or may not have been carried out: its key makes asking again safe. */
export function unavailable(message: string): WireError {
  return new WireError({ code: 'unavailable', message, remedy: 'ask again, with the same key' });
}
