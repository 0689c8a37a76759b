/** What the projection reads of the runtime's facts; the rest of them is not its concern. */
import { count, type WaymarkEvent } from '@waymark/contracts/wire';
import { REMINDER_TYPES, type ReminderType } from '@waymark/contracts/reminder';
import { z } from 'zod';

const line = z.object({ type: z.string(), kind: z.enum(['state', 'advice']).default('advice'), stage: count });
const intended = z.object({
  request: z.int().min(1),
  notices: z.object({ included: z.array(line), omitted: z.array(line), combined: z.array(line) }),
});
const settled = z.object({
  request: z.int().min(1),
  delivery: z.enum(['submitted', 'rejected', 'uncertain']),
});

export interface NoticeCount {
  readonly type: ReminderType;
  readonly kind: 'state' | 'advice';
  readonly stage: number;
}

export interface IntendedNotices {
  readonly run: string;
  readonly seq: number;
  readonly request: number;
  readonly included: readonly NoticeCount[];
  readonly omitted: readonly NoticeCount[];
  readonly combined: readonly NoticeCount[];
}

export interface SettledNotices {
  readonly run: string;
  readonly seq: number;
  readonly request: number;
  readonly delivery: 'submitted' | 'rejected' | 'uncertain';
}

/** What an intent said of its notices; null when it is not such a fact. A type that this release does not know is left out. */
export function readIntended({ run, seq, data }: WaymarkEvent): IntendedNotices | null {
  const read = intended.safeParse(data);
  if (!read.success) return null;
  const { request, notices } = read.data;
  const { included, omitted, combined } = notices;
  return { run, seq, request, included: known(included), omitted: known(omitted), combined: known(combined) };
}

/** How a request's notices were delivered (R8); null when it is not such a fact. */
export function readSettled({ run, seq, data }: WaymarkEvent): SettledNotices | null {
  const read = settled.safeParse(data);
  return read.success ? { run, seq, ...read.data } : null;
}

const TYPES: ReadonlySet<string> = new Set(REMINDER_TYPES);

function known(lines: readonly z.output<typeof line>[]): NoticeCount[] {
  return lines.filter((one): one is NoticeCount => TYPES.has(one.type));
}
