/** Why a run is where it is, on one page (E1, E2): state, policy, budget, then a line for each request. */
import type { BudgetSnapshot } from '@waymark/contracts/budget';
import type { Policy } from '@waymark/contracts/policy';
import type { PublicationSnapshot } from '@waymark/contracts/publication';
import type { ExplainedRequest, RunView } from '@waymark/contracts/runtime';
import { barLines, limitBars } from './bars.js';
import { describePolicy } from './describe-policy.js';
import { bytesText, durationText, many, oneLine, table } from './words.js';

export interface Explained {
  readonly run: RunView;
  readonly policy: Policy;
  readonly budget: BudgetSnapshot | null;
  readonly publication: PublicationSnapshot | null;
  readonly requests: readonly ExplainedRequest[];
}

const BAR_CELLS = 24;

export function explainPage(e: Explained): string[] {
  return [
    ...runLines(e.run),
    '',
    ...describePolicy(e.policy),
    '',
    ...budgetLines(e.budget),
    '',
    ...reportLines(e.publication),
    '',
    ...requestLines(e.requests),
  ];
}

/** Where the run is and why, in words that name the record they rest on. */
export function runLines(run: RunView): string[] {
  const rows = [
    ['run', run.run],
    ['question', oneLine(run.question, 300)],
    ['corpus', run.corpus],
    ['state', `${run.state}, phase ${run.phase}${run.outcome === null ? '' : `, ${run.outcome}`}`],
    ['why', whyHere(run)],
    ['so far', `${many(run.turns, 'turn')}, ${many(run.requests, 'request')}; the record has ${many(run.seq, 'fact')}`],
    ['admitted', run.admittedAt],
  ];
  if (run.owner !== null) rows.push(['owner', `${oneLine(run.owner, 80)}, epoch ${run.epoch}`]);
  if (run.endedAt !== null) rows.push(['ended', run.endedAt]);
  return table(rows);
}

function whyHere(run: RunView): string {
  const because =
    `${run.reason === null ? '' : oneLine(run.reason, 1000)}${run.code === null ? '' : ` [${run.code}]`}`.trim();
  switch (run.state) {
    case 'queued':
      return 'it waits for a runtime that has room: nothing was asked of a model yet';
    case 'running':
      return because || (run.owner === null ? 'it waits for a runtime to go on with it' : 'it is being worked on');
    case 'parked':
      return `it waits, and goes on by itself at ${run.wakeAt ?? 'a time that is not known'}${because === '' ? '' : `: ${because}`}`;
    case 'ending':
      return `${because}; its ending goes on step by step until all owners have answered`;
    case 'ended':
      return because || 'it ended, and no reason is on record';
    default:
      return run.state satisfies never;
  }
}

/** Counts and times stay apart; computing is told from waiting; what a provider did not report is not reported here. */
export function budgetLines(budget: BudgetSnapshot | null): string[] {
  if (!budget) return ['budget      not to be had now: it has no ledger of this run yet, or does not answer'];
  const { active, wall, usage, purposes } = budget;
  const tokens = (n: number | null): string => (n === null ? 'not reported' : String(n));
  const unknown = active.unknownMs > 0 ? `, ${durationText(active.unknownMs)} of it charged and unproven` : '';
  const overshoot = active.overshootMs > 0 ? `, ${durationText(active.overshootMs)} over the limit` : '';
  const unknowns = budget.physical.unknown;
  return [
    `budget (version ${budget.version}, ${budget.phase})`,
    ...barLines(limitBars(budget, null), BAR_CELLS, 'ascii').map((line) => `  ${line}`),
    `  computing   ${durationText(active.usedMs)} of models and tools${unknown}${overshoot}`,
    `  waiting     ${durationText(Math.max(0, wall.usedMs - active.usedMs))}: queue, back-off, parking, services`,
    `  requests    ${purposes.explore} explore, ${purposes.finish} finish, ${purposes.summarize} summarize, ${purposes.review} review`,
    `  unknown     ${unknowns === 0 ? 'no request' : many(unknowns, 'request')} whose outcome nobody can prove${unknowns === 0 ? '' : '; counted as used'}`,
    `  usage       tokens in ${tokens(usage.inputTokens)}, out ${tokens(usage.outputTokens)}, cached ${tokens(usage.cachedInputTokens)}; cost ${usage.costMicros === null ? 'not reported' : `${usage.costMicros} millionths`}`,
  ];
}

function reportLines(publication: PublicationSnapshot | null): string[] {
  if (!publication) return ['report      not to be had now: it was not opened yet, or publication does not answer'];
  const { blocks, revisions, closed, version } = publication;
  const rows = blocks.map((b) => [
    oneLine(b.title, 60),
    b.block,
    `v${b.version}`,
    bytesText(b.bytes),
    `${many(b.citations, 'citation')}${b.failedCitations > 0 ? `, ${b.failedCitations} failed` : ''}`,
    `${b.revisions.used} of ${b.revisions.limit} revisions`,
  ]);
  return [
    `report (version ${version}, ${closed ? 'closed' : 'open'}): ${many(blocks.length, 'block')}, ${revisions.used} of ${revisions.limit} revisions of the run`,
    ...table(rows, new Set([3])).map((line) => `  ${line}`),
  ];
}

const HEAD = ['#', 'purpose', 'turn', 'try', 'bytes', 'stubs', 'told', 'outcome', 'actions', 'seq'];

/** `told` counts the request's reminders by what became of them (R8). */
export function requestLines(requests: readonly ExplainedRequest[]): string[] {
  if (requests.length === 0) return ['requests    none'];
  const rows = requests.map((r) => [
    String(r.request),
    r.purpose,
    String(r.turn),
    String(r.attempt),
    String(r.bytes),
    String(r.parts.stubs),
    toldText(r) || '-',
    `${r.outcome ?? 'no outcome yet'}${r.code === null ? '' : ` (${r.code})`}`,
    actionsText(r) || '-',
    String(r.seq),
  ]);
  return [
    'requests    told: the reminders of each by what became of them; seq: the fact in the record',
    ...table([HEAD, ...rows], new Set([0, 2, 3, 4, 5, 9])).map((line) => `  ${line}`),
  ];
}

function toldText({ notices, noticeSource }: ExplainedRequest): string {
  const counts = new Map<string, number>();
  for (const { fate } of notices) counts.set(fate, (counts.get(fate) ?? 0) + 1);
  const text = [...counts].map(([fate, n]) => `${n} ${fate}`).join(', ');
  return noticeSource === 'plain' ? `${text} (plain)`.trim() : text;
}

function actionsText({ actions }: ExplainedRequest): string {
  const tools = new Map<string, number>();
  for (const { tool, outcome } of actions) {
    const name = outcome === 'ok' ? oneLine(tool, 30) : `${oneLine(tool, 30)} ${outcome ?? 'open'}`;
    tools.set(name, (tools.get(name) ?? 0) + 1);
  }
  return [...tools].map(([name, n]) => (n > 1 ? `${name} ×${n}` : name)).join(', ');
}
