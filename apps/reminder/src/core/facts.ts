import type { ParsedRequestOf } from '@waymark/contracts';
import type { compose } from '@waymark/contracts/reminder';

/** Everything that one compose is told; nothing else is known here (R1). Stage percents are in ascending order. */
export type Facts = ParsedRequestOf<typeof compose>;
