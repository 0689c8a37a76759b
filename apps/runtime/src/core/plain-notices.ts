/**
 * Plain numeric state lines from the owners' snapshots, for when the reminder service does not answer in time (R19):
 * no advice, no old lines; a fact that is not to be had is given "as of version v", never as 0.
 */
import type { Language } from '@waymark/contracts';
import type { BudgetSnapshot } from '@waymark/contracts/budget';
import type { PublicationSnapshot } from '@waymark/contracts/publication';
import { noticeLineBytes } from '@waymark/contracts/reminder';
import type { NoticeLine, NoticesRecord } from '@waymark/record';
import { lineRoom, oneLine } from './fit-notices.js';

export interface PlainFacts {
  readonly language: Language;
  readonly policyVersion: number;
  readonly phase: 'exploring' | 'finishing';
  /** From the grant of this very request (R18). */
  readonly budget: BudgetSnapshot;
  readonly contentBytes: number;
  readonly hardLimitBytes: number;
  /** Null when publication never answered. `stale`: its last reply, not from now. */
  readonly publication: { readonly snapshot: PublicationSnapshot; readonly stale: boolean } | null;
  /** Blocks with a write sent and not confirmed, one entry a write: taken as used (P9). */
  readonly unconfirmed: readonly string[];
  readonly roomBytes: number;
  /** State stands from this share of a limit, in percent. */
  readonly fromPercent: number;
}

interface Line extends NoticeLine {
  readonly text: string;
}

export function plainNotices(f: PlainFacts): NoticesRecord {
  const lines = [...budgetLines(f), ...contextLine(f), ...publicationLines(f)];
  const included: NoticeLine[] = [];
  const omitted: NoticeLine[] = [];
  const texts: string[] = [];
  let left = lineRoom(f.roomBytes);
  for (const { text: raw, ...line } of lines) {
    const text = oneLine(raw);
    const size = noticeLineBytes(text);
    if (size > left) {
      omitted.push(line);
      continue;
    }
    left -= size;
    included.push(line);
    texts.push(text);
  }
  return {
    source: 'plain',
    included,
    omitted,
    combined: [],
    rearmed: [],
    text: texts.length === 0 ? null : texts.join('\n'),
  };
}

function budgetLines(f: PlainFacts): Line[] {
  const { budget: b } = f;
  const out: Line[] = [];
  const count = (
    type: string,
    name: readonly [string, string],
    c: { limit: number; left: number },
    always: boolean,
  ) => {
    const used = c.limit - c.left;
    if (!always && !reached(f, used, c.limit)) return;
    out.push(
      line(f, type, 'run', used, c.limit, [
        `${name[0]}: ${used} of ${c.limit} used, this one counted.`,
        `${name[1]}:已用 ${used}/${c.limit} 次(含本次)。`,
      ]),
    );
  };
  if (f.phase === 'exploring') count('explore-requests', ['Explore requests', '探索请求'], b.explore, false);
  else count('finish-reserve', ['Finishing requests', '收尾请求'], b.finish, true);
  const time = (type: string, name: readonly [string, string], t: { limitMs: number; usedMs: number }) => {
    if (!reached(f, t.usedMs, t.limitMs)) return;
    const [used, limit] = [Math.round(t.usedMs / 1000), Math.round(t.limitMs / 1000)];
    out.push(
      line(f, type, 'run', t.usedMs, t.limitMs, [
        `${name[0]}: ${used} of ${limit} seconds used.`,
        `${name[1]}:已用 ${used}/${limit} 秒。`,
      ]),
    );
  };
  time('active-time', ['Active time', '执行时间'], b.active);
  time('wall-clock', ['Wall clock', '墙钟时间'], b.wall);
  return out;
}

function contextLine(f: PlainFacts): Line[] {
  if (!reached(f, f.contentBytes, f.hardLimitBytes)) return [];
  return [
    line(f, 'context-bytes', 'run', f.contentBytes, f.hardLimitBytes, [
      `Context: ${f.contentBytes} of ${f.hardLimitBytes} bytes.`,
      `上下文:${f.contentBytes}/${f.hardLimitBytes} 字节。`,
    ]),
  ];
}

function publicationLines(f: PlainFacts): Line[] {
  if (!f.publication) return [];
  const { snapshot: p, stale } = f.publication;
  const asOf = stale ? [` (as of version ${p.version})`, `(截至版本 ${p.version})`] : ['', ''];
  const out: Line[] = [];
  const run = { limit: p.revisions.limit, used: p.revisions.used + f.unconfirmed.length };
  if (run.limit > 0 && reached(f, run.used, run.limit)) {
    out.push(
      line(f, 'run-revisions', 'run', run.used, run.limit, [
        `Revisions in this report: ${run.used} of ${run.limit} used${asOf[0]}.`,
        `本报告修订:已用 ${run.used}/${run.limit} 次${asOf[1]}。`,
      ]),
    );
  }
  const tight = p.blocks
    .map((b) => ({
      block: b.block,
      limit: b.revisions.limit,
      used: b.revisions.used + f.unconfirmed.filter((u) => u === b.block).length,
    }))
    .filter((b) => b.limit > 0 && reached(f, b.used, b.limit))
    .sort((x, y) => x.limit - x.used - (y.limit - y.used) || (x.block < y.block ? -1 : 1));
  const first = tight[0];
  if (first) {
    const more = tight.length - 1;
    out.push(
      line(f, 'block-revisions', `block:${first.block}`, first.used, first.limit, [
        `Block "${first.block}": ${first.used} of ${first.limit} revisions used${asOf[0]}${more > 0 ? `, and ${more} more` : ''}.`,
        `章节“${first.block}”:已用 ${first.used}/${first.limit} 次修订${asOf[1]}${more > 0 ? `,另有 ${more} 个章节` : ''}。`,
      ]),
    );
  }
  return out;
}

const reached = (f: PlainFacts, value: number, limit: number): boolean =>
  limit > 0 && value * 100 >= limit * f.fromPercent;

function line(
  f: PlainFacts,
  type: string,
  subject: string,
  value: number,
  limit: number,
  text: readonly [string, string],
): Line {
  return {
    type,
    kind: 'state',
    subject,
    stage: f.fromPercent,
    policyVersion: f.policyVersion,
    value,
    limit,
    text: f.language === 'zh' ? text[1] : text[0],
  };
}
