/**
 * Parses what waits, in lanes of one process each.
 *
 * 1. A file is claimed in the database, so that any number of replicas share the queue. The claim is renewed while the file
 *    is parsed, so that a file whose replica has died is soon free again; the claim's number fences the dead one off.
 * 2. A file is tried MAX_ATTEMPTS times. An attempt is used up by a replica that dies in the middle and by a result that
 *    cannot be stored, not by an orderly stop and not by a parse process that cannot begin: then the file waits a little,
 *    for as long as that lasts.
 * 3. Stopping ends the processes and gives claimed files back.
 */
import type { Logger } from '@waymark/telemetry';
import { unreadable, type Unreadable } from '../../core/unreadable.js';
import type { ParseJob, ParseJobs } from '../postgres/parse-jobs.js';
import { ParseProcess, type ParseLimits, type ParseOutcome } from './parse-process.js';

const POLL_MS = 1_000;
const MAX_ATTEMPTS = 3;
/** A cause outside the file (an installation, a full machine) does not pass in a moment. */
const NOT_STARTED_MS = 5_000;

export interface ParseQueueOptions {
  readonly jobs: ParseJobs;
  readonly lanes: number;
  /** Compiled `parse-worker.js`. */
  readonly entry: string;
  readonly limits: ParseLimits;
  readonly log: Logger;
}

export class ParseQueue {
  private readonly processes: ParseProcess[];
  private lanes: Promise<void>[] = [];
  private stopping = false;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly options: ParseQueueOptions) {
    this.processes = Array.from({ length: options.lanes }, () => new ParseProcess(options.entry, options.limits));
  }

  start(): void {
    this.lanes = this.processes.map((process) => this.run(process));
  }

  /** Something new waits: look at once. */
  kick(): void {
    for (const wake of this.waiting) wake();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const process of this.processes) process.stop();
    this.kick();
    await Promise.all(this.lanes);
  }

  private async run(process: ParseProcess): Promise<void> {
    while (!this.stopping) {
      try {
        const job = await this.options.jobs.claim();
        if (job === undefined) await this.pause();
        else await this.tryJob(process, job);
      } catch (cause) {
        this.options.log.warn({ err: cause }, 'the queue of files cannot be read');
        await this.pause();
      }
    }
    process.stop();
  }

  private async tryJob(process: ParseProcess, job: ParseJob): Promise<void> {
    try {
      await this.work(process, job);
    } catch (cause) {
      this.options.log.warn({ err: cause, ...about(job) }, 'a file could not be handed over or stored');
      await this.options.jobs.postpone(job);
    }
  }

  private async work(process: ParseProcess, job: ParseJob): Promise<void> {
    const { jobs, log } = this.options;
    if (job.attempt > MAX_ATTEMPTS) {
      const message = `Reading the file was broken off ${MAX_ATTEMPTS} times.`;
      await this.settleUnreadable(job, unreadable('interrupted', message));
      return;
    }
    const startedAt = performance.now();
    const outcome = this.stopping ? INTERRUPTED : await this.parse(process, job);
    if (outcome.ok) {
      const ours = await jobs.settleReady(job, outcome.document, outcome.passages);
      const ms = Math.round(performance.now() - startedAt);
      log.info({ ...about(job), ms }, ours ? 'parsed' : 'parsed in vain: another replica has taken the file over');
    } else if (outcome.unreadable && !this.stopping) await this.settleUnreadable(job, outcome.unreadable);
    else if (outcome.unreadable === null && outcome.notStarted !== undefined && !this.stopping) {
      await this.putOff(job, outcome.notStarted);
    } else await jobs.giveBack(job);
  }

  private async putOff(job: ParseJob, why: string): Promise<void> {
    const fault = { ...about(job), code: 'parser_not_started', why };
    this.options.log.warn(fault, 'the parse process ended before it had the file; the file stays pending');
    await this.options.jobs.giveBack(job, NOT_STARTED_MS);
    await this.pause();
  }

  private async parse(process: ParseProcess, job: ParseJob): Promise<ParseOutcome> {
    const { jobs, log } = this.options;
    const renew = (): void =>
      void jobs
        .renew(job)
        .catch((cause: unknown) => log.warn({ err: cause, ...about(job) }, 'a claim was not renewed'));
    const timer = setInterval(renew, jobs.claimMs / 3);
    try {
      return await process.parse(orderOf(job), jobs.file(job));
    } finally {
      clearInterval(timer);
    }
  }

  private async settleUnreadable(job: ParseJob, why: Unreadable): Promise<void> {
    await this.options.jobs.settleUnreadable(job, why);
    this.options.log.info({ ...about(job), code: why.code }, 'unreadable');
  }

  private async pause(): Promise<void> {
    if (this.stopping) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, POLL_MS);
      this.waiting.add(wake);
    });
  }
}

const INTERRUPTED: ParseOutcome = { ok: false, unreadable: null };
const orderOf = ({ name, kind, bytes }: ParseJob) => ({ name, kind, bytes });
const about = ({ corpus, name, kind, bytes }: ParseJob) => ({ corpus, document: name, kind, bytes });
