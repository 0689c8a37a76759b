import type { ErrorBody } from '@waymark/contracts';
import type { Facts } from './facts.js';

/** Facts of another run are refused: their numbers would be told to the wrong model. Null: all of one run. */
export function refuseFacts(facts: Facts): ErrorBody | null {
  for (const owner of ['budget', 'publication'] as const) {
    if (facts[owner].run !== facts.run) {
      return {
        code: 'invalid_field',
        message: `${owner}.run is not the run asked about`,
        remedy: `send the ${owner} snapshot of the same run`,
        field: `${owner}.run`,
      };
    }
  }
  return null;
}
