/** The tools as the model sees them: one list for each phase, in a fixed order that belongs to the cached prefix. */
import type { ActionKind, Dialect, MainPurpose } from '@waymark/record';
import { z } from 'zod';

export const TOOLS_VERSION = 1;

const locator = z
  .string()
  .regex(/^(doc|result):/)
  .describe('doc:… from list_sources or search, result:… of a tool result');
const citations = z
  .array(z.strictObject({ locator: z.string(), start: z.int().min(0), end: z.int().min(0) }))
  .max(100)
  .describe('Grounds of the text, in bytes; [1] in the text is the first');
const block = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
  .describe('Stable name of the section, e.g. "fees"');

interface ToolSpec {
  readonly kind: ActionKind;
  readonly phases: readonly MainPurpose[];
  readonly description: string;
  readonly arguments: z.ZodType;
}

const both: readonly MainPurpose[] = ['explore', 'finish'];
const exploring: readonly MainPurpose[] = ['explore'];

export const TOOLS = {
  list_sources: {
    kind: 'read',
    phases: exploring,
    description: 'Lists the documents of the corpus with locator, kind, size and state.',
    arguments: z.strictObject({ after: z.string().optional() }),
  },
  search: {
    kind: 'read',
    phases: exploring,
    description: 'Full-text search, English and Chinese. Hits name locator and byte range. Finding is not having read.',
    arguments: z.strictObject({ query: z.string().min(1).max(1000), limit: z.int().min(1).max(50).optional() }),
  },
  read_range: {
    kind: 'read',
    phases: exploring,
    description: 'Reads bytes [start, end) of a document; says its range, the total and whether more follows.',
    arguments: z.strictObject({ locator, start: z.int().min(0).optional(), end: z.int().min(1).optional() }),
  },
  read_back: {
    kind: 'read',
    phases: both,
    description: 'Reads a stored tool result again by its locator result:<turn>.<n>, in byte ranges.',
    arguments: z.strictObject({ locator, start: z.int().min(0).optional(), end: z.int().min(1).optional() }),
  },
  calculate: {
    kind: 'read',
    phases: both,
    description: 'Exact decimal arithmetic: + - * / ( ), min, max, sum, avg, abs, round(x, digits).',
    arguments: z.strictObject({ expression: z.string().min(1).max(2000) }),
  },
  write_block: {
    kind: 'keyed',
    phases: both,
    description: 'Publishes a new section of the report with its citations.',
    arguments: z.strictObject({ block, title: z.string().min(1).max(300), text: z.string().min(1), citations }),
  },
  correct_block: {
    kind: 'keyed',
    phases: both,
    description: 'Replaces a section by a corrected version; costs one of its revisions.',
    arguments: z.strictObject({
      block,
      expect_version: z.int().min(1),
      title: z.string().min(1).max(300).optional(),
      text: z.string().min(1),
      citations,
      reason: z.string().min(1).max(1000),
    }),
  },
  note_progress: {
    kind: 'keyed',
    phases: both,
    description: 'Tells the user what you are checking or which conflict you met. Not part of the report.',
    arguments: z.strictObject({ text: z.string().min(1).max(4000) }),
  },
  ask_for_review: {
    kind: 'keyed',
    phases: exploring,
    description: 'Asks for a review of the report so far; whether one starts is decided by the limits.',
    arguments: z.strictObject({ focus: z.string().max(1000).optional() }),
  },
  finish: {
    kind: 'keyed',
    phases: both,
    description: 'Ends the run: the report is complete. The closing text stands first in the report.',
    arguments: z.strictObject({ closing: z.string().max(20_000).optional() }),
  },
} as const satisfies Record<string, ToolSpec>;

export type ToolName = keyof typeof TOOLS;
export type ToolArguments<N extends ToolName> = z.output<(typeof TOOLS)[N]['arguments']>;

export const isTool = (name: string): name is ToolName => Object.hasOwn(TOOLS, name);

/** JSON array of tools offered in a phase, as sent. */
export function toolsJson(purpose: MainPurpose, dialect: Dialect): string {
  const offered = Object.entries<ToolSpec>(TOOLS).filter(([, tool]) => tool.phases.includes(purpose));
  return JSON.stringify(
    offered.map(([name, tool]) => {
      const { $schema: _schema, ...parameters } = z.toJSONSchema(tool.arguments) as Record<string, unknown>;
      const { description } = tool;
      switch (dialect) {
        case 'openai':
          return { type: 'function', function: { name, description, parameters } };
        case 'anthropic':
          return { name, description, input_schema: parameters };
      }
    }),
  );
}

export type ParsedCall =
  | { readonly ok: true; readonly tool: ToolName; readonly arguments: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly remedy: string };

/** Name and arguments of a call as the model gave them; everything wrong gets a clear answer for the model. */
export function parseCall(name: string, json: string, purpose: MainPurpose): ParsedCall {
  const names = Object.entries<ToolSpec>(TOOLS)
    .filter(([, t]) => t.phases.includes(purpose))
    .map(([n]) => n);
  if (!isTool(name)) {
    return wrong('unknown_tool', `there is no tool "${name.slice(0, 100)}"`, `use one of: ${names.join(', ')}`);
  }
  if (!names.includes(name)) {
    return wrong('tool_not_offered', `${name} is not offered in this phase`, `use one of: ${names.join(', ')}`);
  }
  let value: unknown;
  try {
    value = json.trim() === '' ? {} : JSON.parse(json);
  } catch {
    return wrong(
      'broken_arguments',
      `the arguments of ${name} are not JSON`,
      'send one JSON object with the tool’s parameters',
    );
  }
  const parsed = (TOOLS[name].arguments as z.ZodType).safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join('.') ?? '';
    return wrong(
      'invalid_arguments',
      `${name}${where === '' ? '' : `, ${where}`}: ${issue?.message ?? 'not valid'}`,
      'mend the arguments as the tool’s parameters say and call again',
    );
  }
  return { ok: true, tool: name, arguments: parsed.data };
}

/** A message stands in the request: what the model sent is quoted in part. */
const LONGEST_MESSAGE = 500;

function wrong(code: string, message: string, remedy: string): ParsedCall {
  return { ok: false, code, message: message.slice(0, LONGEST_MESSAGE).toWellFormed(), remedy };
}

export const toolKind = (name: string): ActionKind => (isTool(name) ? TOOLS[name].kind : 'read');
