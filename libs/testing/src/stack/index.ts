export { STACK_SERVICES, startStack, type Stack, type StackOptions, type StackService } from './start-stack.js';
