import { Controller } from '@nestjs/common';
import { snapshot as budgetSnapshot } from '@waymark/contracts/budget';
import { snapshot as publicationSnapshot } from '@waymark/contracts/publication';
import { explain, listEvents, readBody, readRecord, type RunView } from '@waymark/contracts/runtime';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts';
import { Bus, fitPage, Handle, WireError } from '@waymark/messaging';
import { RecordStore } from '@waymark/persistence/holder';
import { factType } from '@waymark/contracts/streams';
import { decodeFact, type RecordFact } from '@waymark/record';
import { RunRows } from '../adapters/postgres/run-rows.js';
import { explainRequests } from '../core/explain-requests.js';

const PAGE = 500;
/** Bytes of a body in one reply, before base64, so that it stays under the message limit. */
const REPLY_BYTES = 300 * 1024;
const OWNER_MS = 1_000;

/** The record for readers: events, explanation, stored bytes (L14, E1, E3). */
@Controller()
export class RecordController {
  constructor(
    private readonly records: RecordStore,
    private readonly rows: RunRows,
    private readonly bus: Bus,
  ) {}

  @Handle(listEvents)
  async listEvents({ run, after, limit }: ParsedRequestOf<typeof listEvents>): Promise<ReplyOf<typeof listEvents>> {
    await this.known(run);
    const found = (await this.records.rows(run, after, limit + 1)).map((row) => ({
      owner: 'runtime',
      run,
      seq: row.seq,
      at: row.at.toISOString(),
      type: factType('runtime', row.kind),
      data: decodeFact(row.body) as unknown as Record<string, unknown>,
    }));
    const { items, next } = fitPage(found, limit, ({ seq }) => seq);
    return { events: items, next };
  }

  @Handle(readRecord)
  async readRecord({ run, after, limit }: ParsedRequestOf<typeof readRecord>): Promise<ReplyOf<typeof readRecord>> {
    await this.known(run);
    const found = (await this.records.rows(run, after, limit + 1)).map((row) => ({
      seq: row.seq,
      epoch: row.epoch,
      kind: row.kind,
      body: row.body.toString('base64'),
      hash: row.hash.toString('hex'),
      at: row.at.toISOString(),
    }));
    const { items, next } = fitPage(found, limit, ({ seq }) => seq);
    return { rows: items, next };
  }

  @Handle(readBody)
  async readBody({ run, digest, offset }: ParsedRequestOf<typeof readBody>): Promise<ReplyOf<typeof readBody>> {
    await this.known(run);
    const [row] = /^[0-9a-f]{64}$/.test(digest) ? await this.records.bodies(run, [Buffer.from(digest, 'hex')]) : [];
    if (!row) {
      throw new WireError({
        code: 'unknown_body',
        message: `run ${run} has no body ${digest}`,
        remedy: 'use a digest of its record',
        field: 'digest',
      });
    }
    const end = Math.min(row.body.length, offset + REPLY_BYTES);
    return {
      digest,
      size: row.body.length,
      offset,
      body: row.body.subarray(offset, end).toString('base64'),
      next: end < row.body.length ? end : null,
    };
  }

  @Handle(explain)
  async explain(request: ParsedRequestOf<typeof explain>): Promise<ReplyOf<typeof explain>> {
    const view = await this.known(request.run);
    const facts: { readonly seq: number; readonly epoch: number; readonly fact: RecordFact }[] = [];
    for (let after = 0; ;) {
      const page = await this.records.rows(request.run, after, PAGE);
      for (const row of page) facts.push({ seq: row.seq, epoch: row.epoch, fact: decodeFact<RecordFact>(row.body) });
      if (page.length < PAGE) break;
      after = page.at(-1)?.seq ?? after;
    }
    const all = explainRequests(facts);
    const wanted =
      request.request === undefined
        ? all.filter((r) => r.request > request.after)
        : all.filter((r) => r.request === request.request);
    if (request.request !== undefined && wanted.length === 0) {
      throw new WireError({
        code: 'unknown_request',
        message: `run ${request.run} has no request ${request.request}; it made ${all.length}`,
        remedy: 'name one of its requests',
        field: 'request',
      });
    }
    const [budget, publication] = await Promise.all([
      this.bus.call(budgetSnapshot, { run: request.run }, { timeoutMs: OWNER_MS }),
      this.bus.call(publicationSnapshot, { run: request.run }, { timeoutMs: OWNER_MS }),
    ]);
    const admitted = facts[0]?.fact;
    if (admitted?.type !== 'RunAdmitted') throw new Error(`run ${request.run} has no admission in its record`);
    const beside = {
      run: view,
      policy: admitted.policy,
      budget: budget.ok ? budget.value.snapshot : null,
      publication: publication.ok ? publication.value.snapshot : null,
    };
    const besideBytes = Buffer.byteLength(JSON.stringify(beside)) + 100;
    const { items, next } = fitPage(wanted, request.limit, (r) => r.request, besideBytes);
    return { ...beside, requests: items, next };
  }

  private async known(run: string): Promise<RunView> {
    const view = await this.rows.get(run);
    if (view) return view;
    throw new WireError({
      code: 'unknown_run',
      message: `there is no run ${run}`,
      remedy: 'list the runs, or start one',
      field: 'run',
    });
  }
}
