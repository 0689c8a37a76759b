/** One tool call, carried out: the result as the model will see it, or a clear answer of what is wrong. */
import type { Bus } from '@waymark/messaging';
import { readRange, search, listDocuments } from '@waymark/contracts/sources';
import type { ActionSettled, ReadRange } from '@waymark/record';
import { calculate, CalculationError } from './calculate.js';
import type { ToolArguments } from './tool-list.js';

export interface ToolResult {
  readonly outcome: ActionSettled['outcome'];
  readonly code: string | null;
  readonly title: string;
  readonly text: string;
  readonly range?: ReadRange;
  readonly effect?: ActionSettled['effect'];
}

export const failed = (code: string, message: string, remedy: string, title: string): ToolResult => ({
  outcome: 'failed',
  code,
  title,
  text: JSON.stringify({ error: { code, message, remedy } }),
});

export const refused = (code: string, message: string, remedy: string, title: string): ToolResult => ({
  ...failed(code, message, remedy, title),
  outcome: 'refused',
});

/** Tools that only read sources: each may be repeated (L5). */
export class SourceTools {
  constructor(
    private readonly bus: Bus,
    private readonly corpus: string,
  ) {}

  async listSources(args: ToolArguments<'list_sources'>, ms: number): Promise<ToolResult> {
    const title = 'list of sources';
    const reply = await this.bus.call(
      listDocuments,
      { corpus: this.corpus, limit: 100, ...(args.after === undefined ? {} : { after: args.after }) },
      { timeoutMs: ms },
    );
    if (!reply.ok) return sourceFailure(reply, title);
    const documents = reply.value.documents.map((d) => ({
      locator: d.locator,
      name: d.name,
      kind: d.kind,
      title: d.title,
      bytes: d.bytes,
      ...(d.pages === null ? {} : { pages: d.pages }),
      status: d.status,
      ...(d.reason === null ? {} : { reason: `${d.reason.code}: ${d.reason.message}` }),
    }));
    return ok(
      title,
      JSON.stringify({
        documents,
        more: reply.value.next !== null,
        ...(reply.value.next === null ? {} : { after: reply.value.next }),
      }),
    );
  }

  async search(args: ToolArguments<'search'>, ms: number): Promise<ToolResult> {
    const title = `search "${args.query.slice(0, 80)}"`;
    const reply = await this.bus.call(
      search,
      { corpus: this.corpus, query: args.query, limit: args.limit ?? 10 },
      { timeoutMs: ms },
    );
    return reply.ok ? ok(title, JSON.stringify(reply.value)) : sourceFailure(reply, title);
  }

  async readRange(args: ToolArguments<'read_range'>, ms: number): Promise<ToolResult> {
    const title = `read ${args.locator}`;
    if (args.locator.startsWith('result:')) {
      return failed('not_a_source', `${args.locator} is a tool result`, 'use read_back for results', title);
    }
    const reply = await this.bus.call(
      readRange,
      {
        corpus: this.corpus,
        locator: args.locator,
        start: args.start ?? 0,
        ...(args.end === undefined ? {} : { end: args.end }),
      },
      { timeoutMs: ms },
    );
    if (!reply.ok) return sourceFailure(reply, title);
    const { text, ...head } = reply.value;
    const range = {
      locator: head.locator,
      name: head.name.toWellFormed(),
      start: head.start,
      end: head.end,
      total: head.total,
    };
    return {
      outcome: 'ok',
      code: null,
      title: `${head.name} bytes ${head.start}–${head.end} of ${head.total}`,
      text: `${JSON.stringify(head)}\n${text}`,
      range,
    };
  }
}

export function calculateTool(args: ToolArguments<'calculate'>): ToolResult {
  const title = `calculate ${args.expression.slice(0, 80)}`;
  try {
    return ok(title, JSON.stringify({ expression: args.expression, value: calculate(args.expression) }));
  } catch (error) {
    if (!(error instanceof CalculationError)) throw error;
    return failed('bad_expression', error.message, 'mend the expression and call again', title);
  }
}

export const ok = (title: string, text: string): ToolResult => ({ outcome: 'ok', code: null, title, text });

function sourceFailure(
  reply: {
    readonly kind: string;
    readonly error: { readonly code: string; readonly message: string; readonly remedy: string };
  },
  title: string,
): ToolResult {
  if (reply.kind === 'timeout') {
    return failed('tool_timeout', 'the sources did not answer in time', 'go on, or try again later', title);
  }
  return failed(reply.error.code, reply.error.message, reply.error.remedy, title);
}
