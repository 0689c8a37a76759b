/**
 * One parse process and its watch.
 *
 * 1. It parses one file at a time, and is started when there is one to parse.
 * 2. Past its CPU time, wall time or memory it is killed by its pid; the next file gets a new process.
 * 3. It is replaced after MAX_FILES files, and ended after IDLE_MS without work.
 */
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { DocumentText, IndexedPassage } from '../../core/document-text.js';
import { mebibytes, unreadable, type Unreadable } from '../../core/unreadable.js';
import type { ParseNews, ParseOrder } from './messages.js';
import { usageOf } from './process-usage.js';
import { startChild } from './start-child.js';

export interface ParseLimits {
  /** Time on a CPU: what a file costs, however busy the machine is. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Resident memory; the heap gets two thirds of it. */
  readonly memoryBytes: number;
  readonly maxTextBytes: number;
}

export type ParseOutcome =
  | { ok: true; document: DocumentText; passages: IndexedPassage[] }
  | { ok: false; unreadable: Unreadable }
  /** It was ended from outside: nothing is known about the file. */
  | { ok: false; unreadable: null };

const WATCH_MS = 50;
const IDLE_MS = 30_000;
const MAX_FILES = 200;

export class ParseProcess {
  private child: ChildProcess | undefined;
  private files = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly entry: string,
    private readonly limits: ParseLimits,
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async parse(order: Omit<ParseOrder, 'maxTextBytes'>, body: AsyncIterable<Uint8Array>): Promise<ParseOutcome> {
    clearTimeout(this.idle);
    const child = this.running();
    const verdict: { why?: Unreadable } = {};
    const watch = this.watch(child, verdict);
    try {
      const answer = this.answer(child, verdict);
      child.send({ ...order, maxTextBytes: this.limits.maxTextBytes } satisfies ParseOrder, () => undefined);
      await Promise.race([answer, feed(child, body)]);
      return await answer;
    } catch (cause) {
      this.stop(); // the file could not be handed over: it still waits for the rest
      throw cause;
    } finally {
      watch.stop();
      this.rest(child);
    }
  }

  /** Ends the process now. */
  stop(): void {
    clearTimeout(this.idle);
    this.child?.kill('SIGKILL');
    this.child = undefined;
    this.files = 0;
  }

  private running(): ChildProcess {
    if (this.child !== undefined) return this.child;
    const child = startChild(this.entry, (this.limits.memoryBytes * 2) / 3);
    child.once('exit', () => {
      if (this.child === child) this.child = undefined;
    });
    return (this.child = child);
  }

  private rest(child: ChildProcess): void {
    this.files += 1;
    const gone = child.exitCode !== null || child.signalCode !== null || child.killed;
    if (!gone && this.files < MAX_FILES) {
      this.idle = setTimeout(() => this.stop(), IDLE_MS);
      this.idle.unref();
      return;
    }
    if (this.child === child) this.stop();
  }

  /** Settles with the answer or with the process's end, whichever comes first. */
  private answer(child: ChildProcess, verdict: { why?: Unreadable }): Promise<ParseOutcome> {
    const text: Uint8Array[] = [];
    const passages: IndexedPassage[] = [];
    let bytes = 0;
    return new Promise((resolve) => {
      const settle = (outcome: ParseOutcome): void => {
        child.off('message', onNews).off('exit', onExit);
        resolve(outcome);
      };
      const onNews = (news: ParseNews): void => {
        switch (news.type) {
          case 'text':
            bytes += news.piece.length;
            text.push(news.piece);
            if (bytes > this.limits.maxTextBytes) child.kill('SIGKILL'); // it was told; whoever it is now, it is not ours
            return;
          case 'passages':
            passages.push(...news.passages);
            return;
          case 'failed':
            return settle({ ok: false, unreadable: news.unreadable });
          case 'done': {
            const { title, pages, pageStarts, blockLines } = news;
            const marks = { pageStarts, blockLines };
            return settle({ ok: true, document: { title, pages, marks, text: Buffer.concat(text) }, passages });
          }
          default:
            return news satisfies never;
        }
      };
      const onExit = (_code: number | null, signal: NodeJS.Signals | null): void =>
        settle({ ok: false, unreadable: verdict.why ?? whyEnded(signal) });
      child.on('message', onNews).once('exit', onExit);
      child.once('error', () => settle({ ok: false, unreadable: null }));
    });
  }

  private watch(child: ChildProcess, verdict: { why?: Unreadable }): { stop(): void } {
    const { cpuMs, wallMs, memoryBytes } = this.limits;
    const startedAt = performance.now();
    let cpuBefore: number | undefined;
    let stopped = false;
    let timer: NodeJS.Timeout;
    const end = (why: Unreadable): void => {
      verdict.why = why;
      child.kill('SIGKILL');
    };
    const look = async (): Promise<void> => {
      const usage = child.pid === undefined ? undefined : await usageOf(child.pid);
      if (stopped) return;
      cpuBefore ??= usage?.cpuMs;
      if (usage && usage.residentBytes > memoryBytes) {
        return end(
          unreadable('out_of_memory', `Reading the file takes more than ${mebibytes(memoryBytes)} of memory.`),
        );
      }
      if (usage && usage.cpuMs - (cpuBefore ?? 0) > cpuMs) {
        return end(unreadable('timed_out', `Reading the file takes more than ${seconds(cpuMs)} of computing.`));
      }
      if (performance.now() - startedAt > wallMs) {
        return end(unreadable('timed_out', `Reading the file takes more than ${seconds(wallMs)}.`));
      }
      timer = setTimeout(() => void look(), WATCH_MS);
    };
    timer = setTimeout(() => void look(), WATCH_MS);
    return {
      stop: () => {
        stopped = true;
        clearTimeout(timer);
      },
    };
  }
}

/** Writes the file to the process; its early end is told by its exit. */
async function feed({ stdin }: ChildProcess, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of body) {
    if (stdin === null || stdin.destroyed) return;
    if (!stdin.write(piece)) await room(stdin);
  }
}

function room(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stdin.off('drain', done).off('close', done);
      resolve();
    };
    stdin.on('drain', done).on('close', done);
  });
}

const seconds = (ms: number): string => `${ms / 1000} s`;

/** V8 gives up by the first three when its heap is full; the kernel by the last when there is no memory left. */
const MEMORY_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL']);
const STOP_SIGNALS: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);

/** It ended without being told to by us. */
function whyEnded(signal: NodeJS.Signals | null): Unreadable | null {
  if (signal !== null && STOP_SIGNALS.has(signal)) return null;
  if (signal !== null && MEMORY_SIGNALS.has(signal)) {
    return unreadable('out_of_memory', 'Reading the file takes more memory than there is.');
  }
  return unreadable('damaged', 'The file breaks its reader.');
}
