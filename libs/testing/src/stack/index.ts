export { checkInvariants, readProviderLog, type InvariantReport } from './check-invariants.js';
export type { Violation } from './violation.js';
export {
  DEPLOYED_USERS,
  STACK_SERVICES,
  startStack,
  type Stack,
  type StackOptions,
  type StackService,
} from './start-stack.js';
