/** Keyed writes to publication, one in flight, in the answer's order (P5, P9). */
import { noteProgress, writeBlock, type PublicationSnapshot } from '@waymark/contracts/publication';
import { askOwner } from '@waymark/messaging';
import { checkCitations } from './check-citations.js';
import { findCall } from './find-action.js';
import type { RunContext } from './run-context.js';
import { failed, ok, refused, type ToolResult } from '../tools/tool-host.js';
import { parseCall, type ToolArguments } from '../tools/tool-list.js';

const TRY_MS = 3_000;

/** Never the epoch: the same action gives the same write under every owner (P5). */
const keyOf = (c: RunContext, action: string): string => `${c.run}/${action}`;

export async function writeTool(
  c: RunContext,
  action: string,
  args: ToolArguments<'write_block'>,
  ms: number,
): Promise<ToolResult> {
  return await write(c, action, { ...args, expectVersion: 0, reason: null }, ms);
}

export async function correctTool(
  c: RunContext,
  action: string,
  args: ToolArguments<'correct_block'>,
  ms: number,
): Promise<ToolResult> {
  return await write(
    c,
    action,
    { ...args, title: titleFor(c, args), expectVersion: args.expect_version, reason: args.reason },
    ms,
  );
}

/** A correction without a title keeps its block's. */
const titleFor = (c: RunContext, args: { readonly block: string; readonly title?: string | undefined }): string =>
  args.title ?? c.publication?.snapshot.blocks.find((b) => b.block === args.block)?.title ?? args.block;

interface Write {
  readonly block: string;
  readonly title: string;
  readonly text: string;
  readonly citations: readonly { readonly locator: string; readonly start: number; readonly end: number }[];
  readonly expectVersion: number;
  readonly reason: string | null;
}

async function write(c: RunContext, action: string, w: Write, ms: number): Promise<ToolResult> {
  const title = `block "${w.block}"`;
  const end = performance.now() + ms;
  const leftMs = (): number => Math.max(1, end - performance.now());
  const open = await confirmOpenWrites(c, ms);
  if (!open) return lostWrite(w.block, 'publication_away', 'an earlier write is still not confirmed');
  const citations = await checkCitations(c, w.citations, Math.min(leftMs(), TRY_MS));
  const reply = await askOwner(
    c.platform.bus,
    writeBlock,
    {
      run: c.run,
      epoch: c.epoch,
      key: keyOf(c, action),
      block: w.block,
      expectVersion: w.expectVersion,
      title: w.title,
      text: w.text,
      citations,
      reason: w.reason,
    },
    { tryMs: TRY_MS, untilMs: leftMs(), signal: c.signal },
  );
  if (reply.kind === 'refused') return failed(reply.error.code, reply.error.message, reply.error.remedy, title);
  if (reply.kind === 'away') {
    if (c.publication) c.publication = { ...c.publication, stale: true };
    return unconfirmedWrite(w.block);
  }
  take(c, reply.value.snapshot);
  if (reply.value.outcome === 'refused' && reply.value.refusal) {
    const { code, message, remedy } = reply.value.refusal;
    return refused(code, message, remedy, title);
  }
  const block = reply.value.snapshot.blocks.find((b) => b.block === w.block);
  const failures = citations.flatMap((x, index) =>
    x.status === 'failed' ? [{ index: index + 1, reason: x.reason }] : [],
  );
  return {
    ...ok(
      `${title} version ${reply.value.version ?? 0}`,
      JSON.stringify({
        block: w.block,
        version: reply.value.version,
        revisions: block ? { used: block.revisions.used, limit: block.revisions.limit } : null,
        citations: { ok: citations.length - failures.length, failed: failures },
      }),
    ),
    effect: { kind: 'block', detail: w.block },
  };
}

/**
 * A write that was sent and not confirmed is asked again by its key before any other (P9), `ms` for all of them. True when
 * none is open.
 */
export async function confirmOpenWrites(c: RunContext, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  const leftMs = (): number => Math.max(1, end - performance.now());
  for (const { action } of [...c.state.unconfirmed]) {
    const call = await findCall(c, action);
    const parsed = call ? parseCall(call.name, call.arguments, 'explore') : null;
    if (!parsed?.ok || (parsed.tool !== 'write_block' && parsed.tool !== 'correct_block')) continue;
    const a = parsed.arguments as ToolArguments<'correct_block'> & ToolArguments<'write_block'>;
    const correct = parsed.tool === 'correct_block';
    const reply = await askOwner(
      c.platform.bus,
      writeBlock,
      {
        run: c.run,
        epoch: c.epoch,
        key: keyOf(c, action),
        block: a.block,
        expectVersion: correct ? a.expect_version : 0,
        title: titleFor(c, a),
        text: a.text,
        citations: await checkCitations(c, a.citations, Math.min(leftMs(), TRY_MS)),
        reason: correct ? a.reason : null,
      },
      { tryMs: TRY_MS, untilMs: leftMs(), signal: c.signal },
    );
    if (reply.kind === 'away') return false;
    if (reply.kind === 'refused') {
      c.platform.logger.error(
        { run: c.run, action, ...reply.error },
        'publication refused a write that was not confirmed',
      );
      c.log.note({ type: 'WriteConfirmed', action, outcome: 'refused' });
      continue;
    }
    take(c, reply.value.snapshot);
    c.log.note({ type: 'WriteConfirmed', action, outcome: reply.value.outcome });
  }
  return true;
}

export async function progressTool(
  c: RunContext,
  action: string,
  args: ToolArguments<'note_progress'>,
  ms: number,
): Promise<ToolResult> {
  const reply = await askOwner(
    c.platform.bus,
    noteProgress,
    { run: c.run, epoch: c.epoch, key: keyOf(c, action), text: args.text },
    { tryMs: TRY_MS, untilMs: Math.min(ms, TRY_MS), signal: c.signal },
  );
  if (reply.kind !== 'answered')
    return failed(reply.error.code, reply.error.message, reply.error.remedy, 'progress note');
  const { refusal } = reply.value;
  if (refusal) return refused(refusal.code, refusal.message, refusal.remedy, 'progress note');
  return { ...ok('progress note', JSON.stringify({ noted: true })), effect: { kind: 'progress' } };
}

export function take(c: RunContext, snapshot: PublicationSnapshot): void {
  c.publication = { snapshot, stale: false };
}

/** Sent, and nobody said what became of it: the report's account of it is kept until somebody does (P9). */
export const unconfirmedWrite = (block: string): ToolResult => ({
  outcome: 'unconfirmed',
  code: 'unconfirmed',
  title: `block "${block}"`,
  text: JSON.stringify({
    error: {
      code: 'unconfirmed',
      message: 'the write was sent and not confirmed',
      remedy: 'go on; it is asked again before the next write',
    },
  }),
  effect: { kind: 'block', detail: block },
});

/** Never sent: a gap of the report unless the block is written after all (L11). */
export const lostWrite = (block: string, code: string, message: string): ToolResult => ({
  ...failed(code, message, 'go on reading, and write again later', `block "${block}"`),
  effect: { kind: 'block', detail: block },
});
