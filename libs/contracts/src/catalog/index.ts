/** All contracts of all owners, for what speaks about them: documents, permissions, tests. No service loads it. */
import { budgetContracts } from '../budget/index.js';
import { publicationContracts } from '../publication/index.js';
import { reminderContracts } from '../reminder/index.js';
import { reviewerContracts } from '../reviewer/index.js';
import { runtimeContracts } from '../runtime/index.js';
import { sourcesContracts } from '../sources/index.js';
import type { Contract } from '../wire/index.js';

/** By owner, in the order in which a stranger meets them. */
export const CATALOG: Readonly<Record<string, Readonly<Record<string, Contract>>>> = {
  runtime: runtimeContracts,
  publication: publicationContracts,
  sources: sourcesContracts,
  budget: budgetContracts,
  reviewer: reviewerContracts,
  reminder: reminderContracts,
};

export const ALL_CONTRACTS: readonly Contract[] = Object.values(CATALOG).flatMap((owner) => Object.values(owner));

/** What somebody outside may call: nothing else is reachable for an external user. */
export const PUBLIC_CONTRACTS: readonly Contract[] = ALL_CONTRACTS.filter(({ about }) => about.access === 'public');
