import type { Verdict } from '@waymark/contracts/reviewer';
import type { ReviewAnswered, ReviewFact, ReviewRequested } from './facts.js';

/** One review as its record tells it. */
export interface ReviewState {
  readonly started: boolean;
  readonly requests: readonly { readonly intent: ReviewRequested; readonly answer: ReviewAnswered | null }[];
  readonly verdict: Verdict | null;
  readonly closed: boolean;
}

export const newReview: ReviewState = { started: false, requests: [], verdict: null, closed: false };

export function evolve(state: ReviewState, fact: ReviewFact): ReviewState {
  switch (fact.type) {
    case 'ReviewStarted':
      return { ...state, started: true };
    case 'ReviewRequested':
      return { ...state, requests: [...state.requests, { intent: fact, answer: null }] };
    case 'ReviewAnswered':
      return {
        ...state,
        requests: state.requests.map((one) => (one.intent.request === fact.request ? { ...one, answer: fact } : one)),
      };
    case 'VerdictGiven':
      return { ...state, verdict: fact.verdict };
    case 'ReviewClosed':
      return { ...state, closed: true };
  }
  return fact satisfies never;
}
