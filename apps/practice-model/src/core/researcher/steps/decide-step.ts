import type { NoteRecord } from '../notes/notes-line.js';
import type { Knowledge } from '../notes/knowledge.js';
import { findMetrics } from '../extract/metrics.js';
import { findNames } from '../extract/names.js';
import type { Conversation } from '../read-conversation.js';
import { composeBlock } from '../report/compose-block.js';
import { closingOf } from '../report/compose-extras.js';
import { findingsOf, isComplete, type Finding } from '../report/findings.js';
import { wordsOf } from '../report/words.js';
import { openParts, queryOf } from '../question-parts.js';
import { scopeOf, type Scope } from '../question.js';
import { heed, type Heeded } from './notices.js';
import { missingSums, pending, pendingBlocks, type PendingBlock } from './pending-blocks.js';
import { nextReads, readShare } from './plan-reading.js';

export interface Step {
  say: string;
  calls: { name: string; args: object }[];
  notes: NoteRecord[];
  /** The text is the closing text; nothing is called. */
  closing?: true;
}

const SUMS_PER_TURN = 8;
/** From this share of the reading on, so many complete measures are shown early. */
const EARLY_FROM = 0.25;
const EARLY = 2;
/** With fewer requests left, reading comes before searching. */
const MANY = 6;

/** What to do next, given all that is known: look, read, reckon, write, close. */
export function decideStep(conversation: Conversation, known: Knowledge): Step {
  const { tools, purpose, question } = conversation;
  const notice = heed(conversation.notices);
  const scope = scopeOf(question, known);
  const findings = findingsOf(known, scope);
  const exploring = purpose === 'explore' && !notice.write && !known.done.has('write');
  const heard: NoteRecord[] = notice.write && purpose === 'explore' ? [['n', 'write']] : [];
  if (exploring) {
    const look = lookAround(conversation, known, findings, scope, notice);
    if (look) return withReview(look, notice.review, tools, known);
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

/** The exploring that is still worth while; undefined when there is none. */
function lookAround(
  conversation: Conversation,
  known: Knowledge,
  findings: Finding[],
  scope: Scope,
  notice: Heeded,
): Step | undefined {
  const { tools, question } = conversation;
  if (!known.listed && tools.has('list_sources') && known.turns < 10) {
    const args = known.listAfter === undefined ? {} : { after: known.listAfter };
    return { say: 'First I look at what there is.', calls: [{ name: 'list_sources', args }], notes: [] };
  }
  const queries =
    tools.has('search') && known.documents.length > 0 && (notice.left ?? MANY) >= MANY
      ? queriesOf(question).filter((q) => !known.searched.has(q))
      : [];
  if (queries.length > 0) {
    return {
      say: 'I look for the measures that were asked for.',
      calls: queries.map((query) => search(query)),
      notes: [],
    };
  }
  const reads = tools.has('read_range') ? nextReads(known, notice.left !== undefined && notice.left < MANY) : [];
  if (reads.length > 0) {
    const more = early(known, findings, scope, tools, notice.begin);
    const calls = reads.map(({ document, start, end }) => ({
      name: 'read_range',
      args: { locator: document.locator, start, end },
    }));
    return {
      say: `I read ${reads.length} part${reads.length === 1 ? '' : 's'}.`,
      calls: [...calls, ...more.calls],
      notes: more.notes,
    };
  }
  const sums = tools.has('calculate') ? missingSums(findings, known).slice(0, SUMS_PER_TURN) : [];
  if (sums.length > 0) return { say: 'I reckon the differences.', calls: sums.map(calculate), notes: [] };
  const parts = tools.has('search') && known.documents.length > 0 ? openParts(question).map(queryOf) : [];
  const unsought = parts.filter((query) => !known.searched.has(query));
  if (unsought.length > 0)
    return { say: 'I look for passages on the rest of the question.', calls: unsought.map(search), notes: [] };
  const last = question.slice(0, 200);
  if (
    findings.every((f) => f.cells.size === 0) &&
    tools.has('search') &&
    !known.searched.has(last) &&
    known.documents.length > 0
  ) {
    return { say: 'No figures; I look for passages.', calls: [search(last)], notes: [] };
  }
  return undefined;
}

/** When a good part is read, what is complete can be shown (P1); later sources and the sums correct it (P2). */
function early(
  known: Knowledge,
  findings: Finding[],
  scope: Scope,
  tools: ReadonlySet<string>,
  asked: boolean,
): { calls: Step['calls']; notes: NoteRecord[] } {
  const due = readShare(known) >= EARLY_FROM && !known.done.has('early');
  if (!(due || asked) || !tools.has('write_block')) return { calls: [], notes: [] };
  const complete = findings.filter(isComplete).slice(0, EARLY);
  if (complete.length === 0) return { calls: [], notes: [] };
  const blocks = complete.flatMap((finding) => pending(composeBlock(finding, known, scope), known));
  const progress = tools.has('note_progress') ? [{ name: 'note_progress', args: { text: progressOf(known) } }] : [];
  return { calls: [...blocks.map((b) => writeCall(b, tools, scope)), ...progress], notes: [['n', 'early']] };
}

const progressOf = (known: Knowledge): string =>
  `${known.figures.length} figures found in ${known.documents.filter((d) => d.read.length > 0).length} of ${known.documents.length} documents so far.`;

function writeCall(write: PendingBlock, tools: ReadonlySet<string>, { language }: Scope): Step['calls'][number] {
  const { block, title, text, citations, expectVersion } = write;
  if (expectVersion > 0 && tools.has('correct_block')) {
    const { reason } = wordsOf(language);
    return { name: 'correct_block', args: { block, expect_version: expectVersion, title, text, citations, reason } };
  }
  return { name: 'write_block', args: { block, title, text, citations } };
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

const search = (query: string): Step['calls'][number] => ({ name: 'search', args: { query, limit: 20 } });
const calculate = (expression: string): Step['calls'][number] => ({ name: 'calculate', args: { expression } });

/** The measures that the question names, else its names, else its own words. */
function queriesOf(question: string): string[] {
  const metrics = findMetrics(question).map((m) => question.slice(m.start, m.end).toLowerCase());
  const names = findNames(question, [])
    .filter((n) => n.rank >= 2)
    .map((n) => n.name);
  const own = metrics.length > 0 ? metrics : names;
  const queries = own.length > 0 ? own : [question.slice(0, 120)];
  const correction = /\p{Script=Han}/u.test(question) ? '更正' : 'correction';
  return [...new Set([...queries.slice(0, 4), correction])].filter((q) => q.trim() !== '');
}
