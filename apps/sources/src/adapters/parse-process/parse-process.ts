/**
 * One parse process and its watch.
 *
 * 1. It parses one file at a time, and is started when there is one to parse.
 * 2. Past its CPU time, wall time or memory it is killed by its pid; the next file gets a new process.
 * 3. It is replaced after MAX_FILES files, and ended after IDLE_MS without work.
 * 4. What happens before it has its reader and the whole file says nothing about the file: not started, not damaged.
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
  /** Nothing is known about the file: the process was ended from outside, or (4) could not begin, and why. */
  | { ok: false; unreadable: null; notStarted?: string };

/** What the service finds out about one parse beside the news. */
interface Watched {
  begun: boolean;
  /** The limit that it was ended for. */
  why?: Unreadable;
}

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
    const seen: Watched = { begun: false };
    const watch = this.watch(child, seen);
    try {
      const answer = this.answer(child, seen);
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
    const forget = (): void => {
      if (this.child === child) this.child = undefined;
    };
    child.once('exit', forget).on('error', () => {
      if (child.pid === undefined) forget(); // it could not be started, so no exit will tell
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
  private answer(child: ChildProcess, seen: Watched): Promise<ParseOutcome> {
    const text: Uint8Array[] = [];
    const passages: IndexedPassage[] = [];
    let bytes = 0;
    return new Promise((resolve) => {
      const settle = (outcome: ParseOutcome): void => {
        child.off('message', onNews).off('exit', onExit).off('error', onError);
        resolve(outcome);
      };
      const onNews = (news: ParseNews): void => {
        switch (news.type) {
          case 'begun':
            seen.begun = true;
            return;
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
      const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (signal !== null && STOP_SIGNALS.has(signal)) return settle({ ok: false, unreadable: null });
        if (seen.begun) return settle({ ok: false, unreadable: seen.why ?? whyEnded(signal, this.limits.memoryBytes) });
        settle({ ok: false, unreadable: null, notStarted: seen.why?.message ?? `It ended with ${signal ?? code}.` });
      };
      const onError = ({ message }: Error): void => settle({ ok: false, unreadable: null, notStarted: message });
      child.on('message', onNews).once('exit', onExit).once('error', onError);
    });
  }

  private watch(child: ChildProcess, seen: Watched): { stop(): void } {
    const { cpuMs, wallMs, memoryBytes } = this.limits;
    const startedAt = performance.now();
    let cpuBefore: number | undefined;
    let stopped = false;
    let timer: NodeJS.Timeout;
    const end = (why: Unreadable): void => {
      seen.why = why;
      child.kill('SIGKILL');
    };
    const look = async (): Promise<void> => {
      const usage = child.pid === undefined ? undefined : await usageOf(child.pid);
      if (stopped) return;
      cpuBefore ??= usage?.cpuMs;
      if (usage && usage.residentBytes > memoryBytes) {
        return end(beyondMemory(memoryBytes));
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

/** V8 gives up by these when its heap, a part of the limit, is full. */
const HEAP_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL']);
const STOP_SIGNALS: ReadonlySet<string> = new Set(['SIGTERM', 'SIGINT', 'SIGHUP']);

/** It ended without being told to by us; the kernel kills who has the most when a machine's memory is used up. */
function whyEnded(signal: NodeJS.Signals | null, memoryBytes: number): Unreadable {
  if (signal !== null && HEAP_SIGNALS.has(signal)) return beyondMemory(memoryBytes);
  if (signal === 'SIGKILL') return unreadable('out_of_memory', 'The system ended the reading, likely for its memory.');
  return unreadable('damaged', 'The file breaks its reader.');
}

const beyondMemory = (limitBytes: number): Unreadable =>
  unreadable('out_of_memory', `Reading the file meets its limit of ${mebibytes(limitBytes)} of memory.`);
