import type { ReviewFact } from './facts.js';

/** What the outside sees of a fact; the record itself stays with the reviewer. */
export function eventData(review: string, fact: ReviewFact): Record<string, unknown> {
  switch (fact.type) {
    case 'ReviewStarted':
      return { review };
    case 'ReviewRequested': {
      const { request, reservation, model, body, report, deadlines } = fact;
      return { review, request, reservation, model, digest: body.digest, bytes: body.bytes, report, deadlines };
    }
    case 'ReviewAnswered': {
      const { request, outcome, content, code, status, usage } = fact;
      return { review, request, outcome, content, code, status, usage };
    }
    case 'VerdictGiven':
      return { review, verdict: fact.verdict };
    case 'ReviewClosed':
      return { review, settled: fact.settled };
  }
  return fact satisfies never;
}
