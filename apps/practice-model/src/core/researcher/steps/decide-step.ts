import type { Knowledge } from '../notes/knowledge.js';
import type { NoteRecord } from '../notes/notes-line.js';
import { scopeOf } from '../question.js';
import type { Conversation } from '../read-conversation.js';
import { closingOf } from '../report/compose-extras.js';
import { findingsOf } from '../report/findings.js';
import { asked, readAgain } from './heed-review.js';
import { lookAround } from './look-around.js';
import { heed } from './notices.js';
import { pendingBlocks } from './pending-blocks.js';
import { writeCall, type Step } from './step.js';

/** What to do next, given all that is known: look, read, reckon, write, close. */
export function decideStep(conversation: Conversation, known: Knowledge): Step {
  const { tools, purpose, question } = conversation;
  const notice = heed(conversation.notices);
  const scope = scopeOf(question, known);
  const findings = findingsOf(known, scope);
  const exploring = purpose === 'explore' && !notice.write && !known.done.has('write');
  const heard: NoteRecord[] = notice.write && purpose === 'explore' ? [['n', 'write']] : [];
  if (exploring) {
    const look = lookAround({ conversation, known, findings, scope, notice });
    if (look) return withReview(look, notice.review, tools, known);
  } else if (!notice.last && asked(conversation.advice).quotes && tools.has('read_back')) {
    const again = readAgain(findings, known);
    if (again) return { ...again, notes: [...again.notes, ...heard] };
  }
  const writes = tools.has('write_block') ? pendingBlocks(question, findings, known, scope) : [];
  const closing = closingOf(question, findings, known, scope);
  if (writes.length > 0) {
    const calls = writes.slice(0, exploring ? 4 : 16).map((write) => writeCall(write, tools, scope));
    const end = notice.last && tools.has('finish') ? [{ name: 'finish', args: { closing } }] : [];
    return withReview(
      { say: 'I write down what the sources give.', calls: [...calls, ...end], notes: heard },
      notice.review,
      tools,
      known,
    );
  }
  if (tools.has('finish'))
    return { say: 'The report is complete.', calls: [{ name: 'finish', args: { closing } }], notes: heard };
  return { say: closing, calls: [], notes: [], closing: true };
}

/** A review is asked for once, when the notices suggest it and something is written to be reviewed. */
function withReview(step: Step, advised: boolean, tools: ReadonlySet<string>, known: Knowledge): Step {
  if (!advised || !tools.has('ask_for_review') || known.done.has('review')) return step;
  if (known.blocks.size === 0 && !step.calls.some((call) => call.name === 'write_block')) return step;
  return {
    ...step,
    calls: [...step.calls, { name: 'ask_for_review', args: {} }],
    notes: [...step.notes, ['n', 'review']],
  };
}
