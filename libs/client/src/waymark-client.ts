/** Waymark for callers, over NATS alone: start research, follow it, read its report, prove it. */
import { snapshot as budgetSnapshot, type BudgetSnapshot } from '@waymark/contracts/budget';
import {
  getReport,
  shown,
  snapshot as publicationSnapshot,
  type PublicationSnapshot,
  type Report,
} from '@waymark/contracts/publication';
import { cancel, explain, get, list, start, type RunView } from '@waymark/contracts/runtime';
import type { DocumentView } from '@waymark/contracts/sources';
import { BUCKETS } from '@waymark/contracts/streams';
import type { ReplyOf, RequestOf } from '@waymark/contracts/wire';
import { Caller } from './caller.js';
import { Connection, type Access } from './connection.js';
import { Objects } from './objects.js';
import { RunFeed, type FeedOptions } from './run-feed.js';
import { recordRows, storedBody, type RecordRow } from './stored-record.js';
import { Uploads, type UploadedFile, type UploadedFolder, type UploadOptions } from './upload.js';
import { WaymarkError } from './waymark-error.js';

export interface ClientOptions extends Access {
  /** For the first connection, ms; default 5,000. Later it reconnects for ever. */
  readonly connectMs?: number;
}
export type ReportFormat = 'json' | 'markdown' | 'html';
export type Explanation = Omit<ReplyOf<typeof explain>, 'next'>;

const CONNECT_MS = 5_000;
const EXPLAIN_PAGE = 50;
const EXPLAIN_MS = 20_000;
const REPORT_MS = 20_000;

/** Every failure rejects with a {@link WaymarkError}. Calls wait up to 5 s for a service that does not answer. */
export class WaymarkClient {
  private readonly caller: Caller;
  private readonly uploads: Uploads;
  private readonly reports: Objects;

  private constructor(private readonly connection: Connection) {
    this.caller = new Caller(connection);
    this.reports = new Objects(connection, BUCKETS.reports);
    this.uploads = new Uploads(this.caller, new Objects(connection, BUCKETS.uploads));
  }

  /** Refuses `nats_unavailable` with the server's reason. */
  static async connect({ connectMs = CONNECT_MS, ...access }: ClientOptions): Promise<WaymarkClient> {
    return new WaymarkClient(await Connection.open(access, connectMs));
  }

  /** Ends every feed and call that is under way with `client_closed`. */
  async close(): Promise<void> {
    await this.connection.close();
  }

  /** Starts a run, once per `key`. */
  async start(request: RequestOf<typeof start>): Promise<ReplyOf<typeof start>> {
    return await this.caller.ask(start, request);
  }

  async get(run: string): Promise<RunView> {
    return (await this.caller.ask(get, { run })).run;
  }

  async list(request: RequestOf<typeof list> = {}): Promise<ReplyOf<typeof list>> {
    return await this.caller.ask(list, request);
  }

  async cancel(run: string, reason?: string): Promise<ReplyOf<typeof cancel>> {
    return await this.caller.ask(cancel, { run, ...(reason === undefined ? {} : { reason }) });
  }

  /** The report as it stands. `viewer`: publication records that they were shown this version (P8). */
  async report(run: string, viewer?: string): Promise<Report> {
    const reply = await this.caller.ask(getReport, { run, ...viewedBy(viewer) }, { timeoutMs: REPORT_MS });
    return reply.report ?? (JSON.parse(await this.fetched(run, reply.object)) as Report);
  }

  /** The report as Markdown or as a page that needs nothing else. */
  async renderedReport(run: string, format: 'markdown' | 'html', viewer?: string): Promise<string> {
    const reply = await this.caller.ask(getReport, { run, format, ...viewedBy(viewer) }, { timeoutMs: REPORT_MS });
    return reply.rendered ?? (await this.fetched(run, reply.object));
  }

  /** What was shown to whom (P8). */
  async *shown(run: string): AsyncGenerator<ReplyOf<typeof shown>['shown'][number]> {
    let after: number | null = 0;
    while (after !== null) {
      const page: ReplyOf<typeof shown> = await this.caller.ask(shown, { run, after });
      yield* page.shown;
      after = page.next;
    }
  }

  /** Why a run is where it is, and what stood in its requests (E1): all of them, or one. */
  async explain(run: string, request?: number): Promise<Explanation> {
    if (request !== undefined) return withoutNext(await this.explainPage({ run, request }));
    let page = await this.explainPage({ run, limit: EXPLAIN_PAGE });
    const requests = [...page.requests];
    while (page.next !== null) {
      page = await this.explainPage({ run, after: page.next, limit: EXPLAIN_PAGE });
      requests.push(...page.requests);
    }
    return { ...withoutNext(page), requests };
  }

  /** The budget's own numbers; null before the run was claimed for the first time. */
  async budget(run: string): Promise<BudgetSnapshot | null> {
    return await this.orNull(async () => (await this.caller.ask(budgetSnapshot, { run })).snapshot);
  }

  /** Publication's own numbers; null before the report was opened. */
  async publication(run: string): Promise<PublicationSnapshot | null> {
    return await this.orNull(async () => (await this.caller.ask(publicationSnapshot, { run })).snapshot);
  }

  /** All events of a run from any cursor, then as they come, until it has ended (L14). */
  events(run: string, options?: FeedOptions): RunFeed {
    return new RunFeed(this.caller, run, options);
  }

  async uploadDocument(
    corpus: string,
    name: string,
    bytes: Uint8Array,
    options?: UploadOptions,
  ): Promise<UploadedFile> {
    return await this.uploads.document(corpus, name, bytes, options);
  }

  async uploadFolder(corpus: string, folder: string, options?: UploadOptions): Promise<UploadedFolder> {
    return await this.uploads.folder(corpus, folder, options);
  }

  documents(corpus: string): AsyncGenerator<DocumentView> {
    return this.uploads.documents(corpus);
  }

  readRecord(run: string): AsyncGenerator<RecordRow> {
    return recordRows(this.caller, run);
  }

  async readBody(run: string, digest: string): Promise<Uint8Array> {
    return await storedBody(this.caller, run, digest);
  }

  private async explainPage(request: RequestOf<typeof explain>): Promise<ReplyOf<typeof explain>> {
    for (let limit = request.limit; ;) {
      try {
        const asked = limit === undefined ? request : { ...request, limit };
        return await this.caller.ask(explain, asked, { timeoutMs: EXPLAIN_MS });
      } catch (error) {
        // Requests with many reminders and actions: a page of fewer fits.
        if (!(error instanceof WaymarkError) || error.code !== 'reply_too_large' || (limit ?? 1) <= 1) throw error;
        limit = Math.floor((limit ?? 1) / 2);
      }
    }
  }

  private async orNull<T>(ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof WaymarkError && error.code === 'unknown_run') return null;
      throw error;
    }
  }

  private async fetched(run: string, ref: { name: string; size: number; digest: string } | null): Promise<string> {
    if (!ref) {
      const remedy = 'report it: publication breaks its contract';
      throw new WaymarkError({ code: 'malformed_reply', message: `the report of ${run} came without a text`, remedy });
    }
    return new TextDecoder().decode(await this.reports.get(ref));
  }
}

const viewedBy = (viewer: string | undefined) => (viewer === undefined ? {} : { viewer });

function withoutNext({ next: _next, ...rest }: ReplyOf<typeof explain>): Explanation {
  return rest;
}
