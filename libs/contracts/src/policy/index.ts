export { limits, MOST, policy, policyOverrides, type Limits, type Policy, type PolicyOverrides } from './shape.js';
export { POLICIES, type PolicyName } from './named.js';
export { resolvePolicy, type PolicyResolution } from './resolve.js';
