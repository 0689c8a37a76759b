export { checkInvariants, readProviderLog, type InvariantReport, type Violation } from './check-invariants.js';
export {
  DEPLOYED_USERS,
  STACK_SERVICES,
  startStack,
  type Stack,
  type StackOptions,
  type StackService,
} from './start-stack.js';
