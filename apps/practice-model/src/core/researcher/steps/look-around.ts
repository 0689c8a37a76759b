import { findMetrics } from '../extract/metrics.js';
import { findNames } from '../extract/names.js';
import type { Knowledge } from '../notes/knowledge.js';
import type { NoteRecord } from '../notes/notes-line.js';
import { openParts, queryOf } from '../question-parts.js';
import type { Scope } from '../question.js';
import type { Conversation } from '../read-conversation.js';
import { composeBlock } from '../report/compose-block.js';
import { isComplete, type Finding } from '../report/findings.js';
import { asked, readAgain } from './heed-review.js';
import type { Heeded } from './notices.js';
import { missingSums, pending, pendingFindings } from './pending-blocks.js';
import { isLong, nextReads, promising, readShare, rest } from './plan-reading.js';
import { writeCall, type Call, type Step } from './step.js';

const SUMS_PER_TURN = 12;
/** From this share of the reading on, so many complete measures are shown early. */
const EARLY_FROM = 0.25;
const EARLY = 2;
/** With fewer requests left, reading comes before searching. */
const MANY = 6;
/** Blocks that are written in one answer while exploring goes on. */
const WRITES_PER_TURN = 6;

/** What is known of the run when a step is decided. */
export interface Situation {
  conversation: Conversation;
  known: Knowledge;
  findings: Finding[];
  scope: Scope;
  notice: Heeded;
}

/** The exploring that is still worth while; undefined when there is none. */
export function lookAround(s: Situation): Step | undefined {
  return listing(s) ?? searching(s) ?? heeding(s) ?? publishing(s) ?? reading(s) ?? reckoning(s) ?? asking(s);
}

function listing({ conversation: { tools }, known }: Situation): Step | undefined {
  if (known.listed || !tools.has('list_sources') || known.turns >= 10) return undefined;
  const args = known.listAfter === undefined ? {} : { after: known.listAfter };
  return { say: 'First I look at what there is.', calls: [{ name: 'list_sources', args }], notes: [] };
}

function searching({ conversation: { tools, question }, known, notice }: Situation): Step | undefined {
  if (!tools.has('search') || known.documents.length === 0 || (notice.left ?? MANY) < MANY) return undefined;
  const queries = queriesOf(question).filter((q) => !known.searched.has(q));
  if (queries.length === 0) return undefined;
  return { say: 'I look for the measures that were asked for.', calls: queries.map(search), notes: [] };
}

/** A reviewer's advice comes before more reading. */
function heeding({ conversation: { tools, advice }, known, findings, scope }: Situation): Step | undefined {
  const wanted = asked(advice);
  const again = wanted.quotes && tools.has('read_back') ? readAgain(findings, known) : undefined;
  if (!wanted.more || known.done.has('more') || !tools.has('write_block')) return again;
  const writes = pendingFindings(findings, known, scope).slice(0, WRITES_PER_TURN);
  if (writes.length === 0) return again;
  return {
    say: 'The review misses something: I write it down.',
    calls: [...writes.map((write) => writeCall(write, tools, scope)), ...(again?.calls ?? [])],
    notes: [['n', 'more'], ...(again?.notes ?? [])],
  };
}

/** Before the long rest is read, what search found is shown (P1), with its sums; a first correction does not wait either (P2). */
function publishing(s: Situation): Step | undefined {
  const { conversation, known, findings, scope } = s;
  if (!conversation.tools.has('write_block') || promising(known).length > 0 || !isLong(rest(known))) return undefined;
  const writes = pendingFindings(findings, known, scope).filter((write) => write.expectVersion <= 1);
  if (writes.length === 0) return undefined;
  const sums = reckoning(s);
  if (sums) return sums;
  const calls = writes.slice(0, WRITES_PER_TURN).map((write) => writeCall(write, conversation.tools, scope));
  return { say: 'I show what search has led to, and read on.', calls, notes: [] };
}

function reading(s: Situation): Step | undefined {
  const { conversation, known, notice } = s;
  if (!conversation.tools.has('read_range')) return undefined;
  const reads = nextReads(known, notice.left !== undefined && notice.left < MANY);
  if (reads.length === 0) return undefined;
  const more = early(s);
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

function reckoning({ conversation: { tools }, known, findings }: Situation): Step | undefined {
  const sums = tools.has('calculate') ? missingSums(findings, known).slice(0, SUMS_PER_TURN) : [];
  return sums.length === 0 ? undefined : { say: 'I reckon the differences.', calls: sums.map(calculate), notes: [] };
}

/** For what no figure answers. */
function asking({ conversation: { tools, question }, known, findings }: Situation): Step | undefined {
  if (!tools.has('search') || known.documents.length === 0) return undefined;
  const unsought = openParts(question)
    .map(queryOf)
    .filter((query) => !known.searched.has(query));
  if (unsought.length > 0)
    return { say: 'I look for passages on the rest of the question.', calls: unsought.map(search), notes: [] };
  const last = question.slice(0, 200);
  if (findings.some((f) => f.cells.size > 0) || known.searched.has(last)) return undefined;
  return { say: 'No figures; I look for passages.', calls: [search(last)], notes: [] };
}

/** When a good part is read, what is complete can be shown (P1); later sources and the sums correct it (P2). */
function early({ conversation: { tools }, known, findings, scope, notice }: Situation): Pick<Step, 'calls' | 'notes'> {
  const due = readShare(known) >= EARLY_FROM && !known.done.has('early');
  if (!(due || notice.begin) || !tools.has('write_block')) return { calls: [], notes: [] };
  const complete = findings.filter(isComplete).slice(0, EARLY);
  if (complete.length === 0) return { calls: [], notes: [] };
  const blocks = complete.flatMap((finding) => pending(composeBlock(finding, known, scope), known));
  const progress = tools.has('note_progress') ? [{ name: 'note_progress', args: { text: progressOf(known) } }] : [];
  const notes: NoteRecord[] = [['n', 'early']];
  return { calls: [...blocks.map((b) => writeCall(b, tools, scope)), ...progress], notes };
}

const progressOf = (known: Knowledge): string =>
  `${known.figures.length} figures found in ${known.documents.filter((d) => d.read.length > 0).length} of ${known.documents.length} documents so far.`;

const search = (query: string): Call => ({ name: 'search', args: { query, limit: 20 } });
const calculate = (expression: string): Call => ({ name: 'calculate', args: { expression } });

/** The measures that the question names, else its names, else its own words. */
function queriesOf(question: string): string[] {
  const metrics = findMetrics(question).map((m) => question.slice(m.start, m.end).toLowerCase());
  const names = findNames(question, [])
    .filter((n) => n.rank >= 2)
    .map((n) => n.name);
  const own = metrics.length > 0 ? metrics : names;
  const queries = own.length > 0 ? own : [question.slice(0, 120)];
  const correction = /\p{Script=Han}/u.test(question) ? '更正' : 'correction';
  return [...new Set([...queries.slice(0, 5), correction])].filter((q) => q.trim() !== '');
}
