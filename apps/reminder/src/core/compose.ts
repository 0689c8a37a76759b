import type { ComposeReply } from '@waymark/contracts/reminder';
import { arm } from './arm.js';
import type { Facts } from './facts.js';
import { fitState } from './fit-state.js';
import { look } from './look.js';
import { NEVER_QUIET, quietUntil } from './quiet-until.js';
import { reviewCandidate } from './review-candidate.js';
import { selectAdvice } from './select-advice.js';

/**
 * Facts and watermarks in, candidates out: the same facts give the same reply, nothing is remembered or permitted (R1).
 * Only main requests are told something; a summarizer's and a reviewer's are not about the run's situation.
 */
export function composeNotices(told: Facts): ComposeReply {
  if (told.purpose !== 'explore' && told.purpose !== 'finish') return SILENT;
  const facts = { ...told, stages: { ...told.stages, percent: told.stages.percent.toSorted((a, b) => a - b) } };
  const looked = look(facts);
  const armed = arm(facts, looked);
  return {
    state: fitState(facts, looked),
    ...selectAdvice(facts, looked, armed),
    rearmed: armed.rearmed,
    reviewCandidate: reviewCandidate(facts),
    quietUntil: quietUntil(facts, looked, armed),
  };
}

const SILENT: ComposeReply = {
  state: [],
  advice: [],
  combined: [],
  rearmed: [],
  reviewCandidate: null,
  quietUntil: NEVER_QUIET,
};
