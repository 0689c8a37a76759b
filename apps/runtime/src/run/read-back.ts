import { cutAtCharacter, type ActionSettled, type ReadRange } from '@waymark/record';
import { failed, type ToolResult } from '../tools/tool-host.js';
import type { ToolArguments } from '../tools/tool-list.js';
import { findReceipt } from './find-action.js';
import type { RunContext } from './run-context.js';

/** Bytes of one read-back at most, and when no end is named. */
const MOST_BYTES = 16 * 1024;
const DEFAULT_BYTES = 8 * 1024;

/** Reads a stored result again, in byte ranges that strictly grow (F-R1). */
export async function readBackTool(c: RunContext, args: ToolArguments<'read_back'>): Promise<ToolResult> {
  const title = `read back ${args.locator}`;
  const receipt = args.locator.startsWith('result:') ? await findReceipt(c, args.locator) : null;
  if (!receipt) {
    return failed(
      'unknown_locator',
      `there is no stored result ${args.locator}`,
      'use a locator result:<turn>.<n> of this run',
      title,
    );
  }
  await c.bodies.load([receipt.result]);
  const bytes = c.bodies.get(receipt.result);
  const total = bytes.length;
  const start = cutAtCharacter(bytes, args.start ?? 0);
  if ((args.start ?? 0) > total) {
    return failed('range_outside', `the result has ${total} bytes`, `use a start below ${total}`, title);
  }
  const wanted = Math.min(args.end ?? start + DEFAULT_BYTES, start + MOST_BYTES, total);
  let end = cutAtCharacter(bytes, wanted);
  if (end <= start && wanted > start) end = nextBorder(bytes, wanted);
  const head = { locator: args.locator, name: receipt.title, start, end, total, more: end < total };
  const text = new TextDecoder().decode(bytes.subarray(start, end));
  const range = sourceRange(receipt, start, end);
  return {
    ...(range ? { range } : {}),
    outcome: 'ok',
    code: null,
    title: `${args.locator} bytes ${start}–${end} of ${total} (${receipt.title})`,
    text: `${JSON.stringify(head)}\n${text}`,
  };
}

/** The range of a source that bytes [start, end) of a stored result hold, so that it counts as had (C5). */
function sourceRange({ range, result }: ActionSettled, start: number, end: number): ReadRange | null {
  if (!range || result.escaped) return null;
  const firstLine = result.bytes - (range.end - range.start);
  const from = range.start + Math.max(0, start - firstLine);
  const to = range.start + (end - firstLine);
  return to > from ? { ...range, start: from, end: to } : null;
}

function nextBorder(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}
