import { ask, say, type Answer } from '../protocol/answer.js';
import type { ChatRequest } from '../protocol/chat-request.js';
import { learn, nothingKnown } from './notes/knowledge.js';
import { encodeNotes, type NoteRecord } from './notes/notes-line.js';
import { observeResults } from './observe-results.js';
import { readConversation } from './read-conversation.js';
import { reviewReport } from './review-report.js';
import { decideStep } from './steps/decide-step.js';
import { summarizeTurns } from './summarize-turns.js';

/**
 * A researcher without memory: what it knows stands in the request, as notes in its own texts and in summaries, and as
 * results of its last calls. Results are noted in the answer that first sees them, so later stubs lose nothing.
 */
export function answerResearch(request: ChatRequest): Answer {
  const conversation = readConversation(request);
  if (conversation.purpose === 'summarize') return say(summarizeTurns(request.messages));
  if (conversation.purpose === 'review') return say(reviewReport(request.messages));

  const known = learn(nothingKnown(), conversation.notes);
  const observed = observeResults(conversation, known);
  const step = decideStep(conversation, learn(known, observed));
  if (step.closing) return say(step.say);
  const notes: NoteRecord[] = [['t'], ...observed, ...step.notes];
  const turn = known.turns;
  const calls = step.calls.map(({ name, args }, k) => ({
    id: `call_${turn}_${k}`,
    name,
    arguments: JSON.stringify(args),
  }));
  return ask(`${step.say}\n${encodeNotes(notes)}`, calls);
}
