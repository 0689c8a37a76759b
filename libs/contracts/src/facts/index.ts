/** Facts of all owners that publish them, by name. */
import { BUDGET_FACTS } from './budget.js';
import { PUBLICATION_FACTS } from './publication.js';
import { REVIEWER_FACTS } from './reviewer.js';
import { RUNTIME_FACTS } from './runtime.js';
import type { FactShapes } from './shape.js';

export { BUDGET_FACTS, PUBLICATION_FACTS, REVIEWER_FACTS, RUNTIME_FACTS };
export { type FactShape, type FactShapes } from './shape.js';

/** Owners whose events make up what happened to a run; each serves `list-events`. */
export const FACTS = {
  runtime: RUNTIME_FACTS,
  publication: PUBLICATION_FACTS,
  budget: BUDGET_FACTS,
  reviewer: REVIEWER_FACTS,
} as const satisfies Readonly<Record<string, FactShapes>>;
