/** The contract's words that the core speaks in. */
export type {
  BudgetFact,
  BudgetRefusal,
  BudgetSnapshot,
  Grant,
  Purpose,
  Settlement,
  SettlementOutcome,
  SettlementResult,
  Usage,
} from '@waymark/contracts/budget';
export type { Limits } from '@waymark/contracts/policy';
