/** What a code means, for somebody who has not read ours. The code stays beside the words: programs and pages name it. */

const WORDS: Readonly<Record<string, string>> = {
  // why a review is left out
  reviews_disabled: 'this run has no reviews',
  not_exploring: 'exploring is over',
  nothing_published: 'nothing is published yet',
  review_running: 'another one is still under way',
  too_soon: 'the last one was a short while ago',
  no_main_request_after: 'no request would be left to use it',
  finish_reserve_kept: 'what is left is kept for the ending',
  budget_away: 'the budget service does not answer',
  // why a review has no verdict
  stopped: 'it was stopped',
  review_deadline: 'its time was up',
  abandoned: 'its worker was lost again and again',
  empty_answer: 'the answer was empty',
  answer_cut: 'the answer was cut short',
  answer_filtered: "the provider's filter held the answer back",
  unreadable_verdict: 'the answer is no verdict',
  material_too_large: 'the report is too large for one request',
  budget_unavailable: 'the budget service does not answer',
  // how a request or a run's waiting came about
  provider_unavailable: "the model's provider cannot be reached, or is down",
  provider_auth: "the model's provider refuses the key",
  provider_rejected: "the model's provider refuses the request; see the model's name and address",
  provider_error: "the model's provider reports an error",
  provider_paused: "the model's provider asked for a pause",
  rate_limited: "the model's provider asks for fewer requests",
  too_long: 'the request was too long for the model',
  first_content_timeout: 'no answer began in time',
  progress_timeout: 'the answer stood still',
  total_timeout: 'the answer took too long',
  stream_cut: 'the answer broke off',
  connect_failed: "the model's provider cannot be reached",
  other_api: 'the run was admitted for another API than the provider speaks now',
  garbage: "what came is no answer; see the model's address",
  response_too_large: 'the answer was too large',
  empty_answers: 'the answers were empty',
  aborted_by_limit: 'a limit was reached',
  owner_died: 'the process that sent it is gone',
  owner_lost: 'the process that sent it is gone',
  cancelled: 'the run was cancelled',
};

/** `words [code]`, or the code alone when it is one of a later release. */
export function because(code: string | null | undefined): string {
  if (code === null || code === undefined) return 'no reason given';
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return words === undefined ? code : `${words} [${code}]`;
}
