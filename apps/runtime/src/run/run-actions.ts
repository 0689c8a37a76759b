/**
 * Step 8: the actions of one answer (L5).
 *
 * 1. Reads run side by side, beside the commit of the outcome that asks for them; whatever changes anything waits for that
 *    commit, and keyed writes run in the answer's order, one in flight (P5).
 * 2. Each receipt with its body is durable as it settles: at once when nothing else is about to settle, else within 20 ms.
 * 3. After a death `read` and `keyed` run again, an `effect` gets an unknown receipt.
 * 4. Every action has a deadline: the tool's, or what is left of the turn's grant (B4, T1).
 */
import { storedAnswer, type ActionKind, type ActionSettled, type MainPurpose, type RecordFact } from '@waymark/record';
import type { NewBody, NewMessage } from '@waymark/persistence/holder';
import { calculateTool, failed, ok, refused, SourceTools, type ToolResult } from '../tools/tool-host.js';
import { parseCall, type ToolArguments } from '../tools/tool-list.js';
import { admitReview } from '../core/decide-review.js';
import { hasWords } from '../core/has-words.js';
import { orderReview } from './dispatch-review.js';
import { readBackTool } from './read-back.js';
import { correctTool, lostWrite, progressTool, unconfirmedWrite, writeTool } from './publication-tools.js';
import type { RunContext } from './run-context.js';

const GROUP_MS = 20;

interface Todo {
  readonly action: string;
  readonly tool: string;
  readonly kind: ActionKind;
  readonly arguments: string;
}

export async function runActions(c: RunContext): Promise<void> {
  const open = c.state.transcript.openTurn;
  if (!open) return;
  if (open.answer) await c.bodies.load([open.answer]);
  const calls = open.answer ? storedAnswer(open.answer, (ref) => c.bodies.get(ref)).calls : [];
  const todo: Todo[] = open.actions
    .map((a, i) => ({ ...a, arguments: calls[i]?.arguments ?? '' }))
    .filter((a) => open.settled[a.action] === undefined);
  const receipts = new Receipts(c, todo.length);
  const redone = c.freshTurn !== open.turn;
  const purpose: MainPurpose = c.state.phase === 'exploring' ? 'explore' : 'finish';
  const reads = todo
    .filter((t) => t.kind === 'read')
    .map(async (t) => receipts.settle(t, await execute(c, t, purpose)));
  const ordered = (async () => {
    await c.outcome;
    for (const t of todo.filter((x) => x.kind !== 'read')) {
      const result = t.kind === 'effect' && redone ? unknownEffect(t) : await execute(c, t, purpose);
      await receipts.settleNow(t, result);
    }
  })();
  const outcomes = await Promise.allSettled([...reads, ordered]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  receipts.flush();
}

interface Executed extends ToolResult {
  /** Facts and messages that must be in the receipt's own commit. */
  readonly facts?: readonly RecordFact[];
  readonly messages?: readonly NewMessage[];
}

async function execute(c: RunContext, todo: Todo, purpose: MainPurpose): Promise<Executed> {
  const parsed = parseCall(todo.tool, todo.arguments, purpose);
  if (!parsed.ok) return refused(parsed.code, parsed.message, parsed.remedy, `call of ${todo.tool.slice(0, 80)}`);
  const ms = actionMs(c);
  const block = blockOf(parsed);
  if (ms <= 0) {
    const why = 'no time is left for this action in this turn';
    return block === null
      ? failed('tool_deadline', why, 'go on without it', todo.tool)
      : lostWrite(block, 'tool_deadline', why);
  }
  const end = c.held?.activity.begin();
  c.platform.failpoint('before:action');
  try {
    const work = carryOut(c, todo.action, parsed.tool, parsed.arguments, ms);
    return await withDeadline(ms, work, () => (block === null ? timedOut(todo, ms) : unconfirmedWrite(block)));
  } finally {
    end?.();
  }
}

/** The block that a call writes; null for any other tool. */
const blockOf = ({ tool, arguments: args }: { readonly tool: string; readonly arguments: unknown }): string | null =>
  tool === 'write_block' || tool === 'correct_block' ? (args as ToolArguments<'write_block'>).block : null;

async function carryOut(c: RunContext, action: string, tool: string, args: unknown, ms: number): Promise<Executed> {
  const sources = new SourceTools(c.platform.bus, c.admitted.corpus);
  switch (tool) {
    case 'list_sources':
      return await sources.listSources(args as ToolArguments<'list_sources'>, ms);
    case 'search':
      return await sources.search(args as ToolArguments<'search'>, ms);
    case 'read_range':
      return await sources.readRange(args as ToolArguments<'read_range'>, ms);
    case 'read_back':
      return await readBackTool(c, args as ToolArguments<'read_back'>);
    case 'calculate':
      return calculateTool(args as ToolArguments<'calculate'>);
    case 'write_block':
      return await writeTool(c, action, args as ToolArguments<'write_block'>, ms);
    case 'correct_block':
      return await correctTool(c, action, args as ToolArguments<'correct_block'>, ms);
    case 'note_progress':
      return await progressTool(c, action, args as ToolArguments<'note_progress'>, ms);
    case 'ask_for_review':
      return await askForReview(c, args as ToolArguments<'ask_for_review'>);
    case 'finish': {
      const { closing = '' } = args as ToolArguments<'finish'>;
      return { ...ok('finish', hasWords(closing) ? closing : ''), effect: { kind: 'finish' } };
    }
    default:
      return failed('unknown_tool', `there is no tool "${tool}"`, 'use a tool that is offered', tool);
  }
}

async function askForReview(c: RunContext, args: ToolArguments<'ask_for_review'>): Promise<Executed> {
  const admission = c.budget ? admitReview(c.state, c.budget, c.publication?.snapshot ?? null, 'model') : null;
  if (!admission?.admit) {
    const code = admission?.code ?? 'budget_away';
    return {
      ...ok('review', JSON.stringify({ review: 'declined', code })),
      facts: [{ type: 'ReviewDeclined', candidate: null, code }],
    };
  }
  const { fact, message } = await orderReview(c, null, args.focus ?? null);
  c.reviewSince = performance.now();
  return {
    ...ok(
      'review',
      JSON.stringify({ review: 'dispatched', note: 'a verdict, if it comes in time, is advice in a later request' }),
    ),
    effect: { kind: 'review', detail: fact.review },
    facts: [fact],
    messages: [message],
  };
}

/** Ms for one action: the tool's deadline or what the turn's grant leaves, whichever is smaller. */
function actionMs(c: RunContext): number {
  const { toolMs } = c.admitted.policy.deadlines;
  return c.held ? Math.min(toolMs, c.held.grant.leftMs - c.held.activity.elapsedMs) : toolMs;
}

async function withDeadline(ms: number, work: Promise<Executed>, lateResult: () => Executed): Promise<Executed> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Executed>((resolve) => {
    // A second over the owner's own time-out, so that its answer is the one that counts when both come.
    timer = setTimeout(() => resolve(lateResult()), ms + 1_000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const timedOut = (todo: Todo, ms: number): ToolResult =>
  failed(
    'tool_timeout',
    `${todo.tool} did not end within ${Math.round(ms)} ms`,
    'go on, or try again later',
    todo.tool,
  );

const unknownEffect = (todo: Todo): ToolResult => ({
  outcome: 'unknown',
  code: 'outcome_unknown',
  title: todo.tool,
  text: JSON.stringify({
    error: {
      code: 'outcome_unknown',
      message: 'the process died while this ran; its outcome is unknown',
      remedy: 'check before doing it again',
    },
  }),
});

/** Group commit of receipts. */
class Receipts {
  #facts: ActionSettled[] = [];
  #bodies: NewBody[] = [];
  #timer: NodeJS.Timeout | undefined;
  #left: number;

  constructor(
    private readonly c: RunContext,
    count: number,
  ) {
    this.#left = count;
  }

  settle(todo: Todo, result: Executed): void {
    this.#add(todo, result);
    if (this.#left > 0) this.#timer ??= setTimeout(() => this.flush(), GROUP_MS);
  }

  /** Durable before anything follows. */
  async settleNow(todo: Todo, result: Executed): Promise<void> {
    this.#add(todo, result);
    const { facts, bodies } = this.#take();
    this.c.platform.failpoint('before:receipt');
    await this.c.log.append([...(result.facts ?? []), ...facts], { bodies, messages: result.messages ?? [] });
    this.c.platform.failpoint('after:receipt');
  }

  /** Starts the commit; the next append waits behind it, so nothing is sent before it is durable. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { facts, bodies } = this.#take();
    if (facts.length === 0) return;
    for (const [i, fact] of facts.entries()) this.c.log.note(fact, i === 0 ? bodies : []);
    void this.c.log.append([]).then(
      () => this.c.platform.failpoint('after:receipts'),
      () => undefined, // the log is lost for good; the next append says so
    );
  }

  #take() {
    const taken = { facts: this.#facts, bodies: this.#bodies };
    this.#facts = [];
    this.#bodies = [];
    return taken;
  }

  #add(todo: Todo, result: Executed): void {
    this.#left -= 1;
    const stored = this.c.bodies.put(result.text);
    this.#bodies.push(stored.body);
    this.#facts.push({
      type: 'ActionSettled',
      action: todo.action,
      outcome: result.outcome,
      code: result.code?.toWellFormed() ?? null,
      result: stored.ref,
      title: result.title.slice(0, 300).toWellFormed(),
      ...(result.range ? { range: result.range } : {}),
      ...(result.effect ? { effect: result.effect } : {}),
    });
  }
}
