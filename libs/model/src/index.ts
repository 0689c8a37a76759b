/** Model providers: one physical request per call, its end as a value; the one retry decision. */
export { ANTHROPIC_OUTPUT_CAP, MODEL_APIS, type ModelApi } from './core/apis.js';
export { classifyRetry, type RetryContext, type RetryDecision } from './core/classify-retry.js';
export {
  effectiveDeadlines,
  endedStage,
  type Bound,
  type EffectiveDeadlines,
  type LimitName,
  type RequestDeadlines,
} from './core/effective-deadlines.js';
export {
  ABORTED_BY_LIMIT,
  MAX_CALLS,
  MAX_RESPONSE_BYTES,
  toSettlement,
  type Finish,
  type ModelCall,
  type ModelOutcome,
  type OutcomeCode,
  type OutcomeKind,
  type Timings,
} from './core/outcome.js';
export { modelEnv } from './model-env.js';
export { ModelProvider, type ModelProviderOptions, type ModelRequest } from './provider.js';
