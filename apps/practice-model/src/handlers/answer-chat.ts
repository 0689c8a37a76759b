import { Inject, Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { RequestLog } from '../adapters/files/request-log.js';
import { BodyText } from '../adapters/http/body-text.js';
import { deliverAnswer } from '../adapters/http/deliver-answer.js';
import { deliverRefusal, deliverStatus } from '../adapters/http/deliver-refusal.js';
import { ReplyStream } from '../adapters/http/reply-stream.js';
import type { Wire } from '../adapters/wire/wire.js';
import type { PracticeConfig } from '../config.js';
import type { FaultRule } from '../core/faults/fault-rule.js';
import { spoilAnswer } from '../core/faults/spoil-answer.js';
import { tooLong, wrongKey } from '../core/protocol/error-body.js';
import { peekRequest, type RequestPeek } from '../core/protocol/peek-request.js';
import { decideAnswer } from '../core/decide-answer.js';
import { PRACTICE_CONFIG } from '../tokens.js';
import { FaultBoard } from './fault-board.js';

/** Log the exact bytes → fault or refusal or answer → log how it went. */
@Injectable()
export class AnswerChat {
  constructor(
    @Inject(PRACTICE_CONFIG) private readonly config: PracticeConfig,
    private readonly log: RequestLog,
    private readonly faults: FaultBoard,
  ) {}

  async handle(wire: Wire, bytes: Buffer, headers: IncomingHttpHeaders, out: ReplyStream): Promise<void> {
    const id = asId(headers['x-waymark-request']);
    const raw = new BodyText(bytes);
    const peek = peekRequest(raw);
    const { model, purpose } = peek;
    const n = this.log.arrived({ id, api: wire.api, model, purpose: purpose ?? null, bytes });
    const rule = this.faults.strike({
      model,
      size: bytes.length,
      ...(purpose ? { purpose } : {}),
      ...(id === null ? {} : { id }),
    });
    let answeredWith = rule ? `fault:${rule.fault}` : 'completed';
    try {
      answeredWith = (await this.answer(wire, n, bytes, raw, peek, headers, rule, out)) ?? answeredWith;
    } finally {
      const { firstByteAt, disconnected } = out;
      this.log.answered({ n, answeredWith, firstByteAt, endedAt: new Date().toISOString(), disconnected });
    }
  }

  /** Returns how it answered when that is neither the fault nor a completion. */
  private async answer(
    wire: Wire,
    n: number,
    bytes: Buffer,
    raw: BodyText,
    peek: RequestPeek,
    headers: IncomingHttpHeaders,
    rule: FaultRule | undefined,
    out: ReplyStream,
  ): Promise<string | undefined> {
    await out.wait(this.faults.latencyMs + (rule?.fault === 'latency' ? rule.ms : 0));
    if (rule?.fault === 'status') return void deliverStatus(out, wire, rule);
    if (this.config.apiKey !== undefined && wire.keyOf(headers) !== this.config.apiKey) {
      deliverRefusal(out, wire, wrongKey);
      return 'refused:401';
    }
    const wrong = wire.headerRefusal(headers);
    if (wrong) {
      deliverRefusal(out, wire, wrong);
      return `refused:${wrong.status}`;
    }
    if (bytes.length > this.config.contextBytes) {
      deliverRefusal(out, wire, tooLong(bytes.length, this.config.contextBytes));
      return 'refused:400';
    }
    const decided = decideAnswer(peek, raw, () => bytes.toString('utf8'), wire.validate);
    if (!decided.ok) {
      deliverRefusal(out, wire, decided.refusal);
      return `refused:${decided.refusal.status}`;
    }
    const answer = rule ? spoilAnswer(decided.answer, rule, n) : decided.answer;
    const delivery = {
      wire,
      id: `practice-${n}`,
      model: peek.model,
      created: Math.floor(Date.now() / 1000),
      requestBytes: bytes.length,
      includeUsage: peek.includeUsage,
      chunk: peek.model === 'practice-bench' ? 1024 : 48,
      stream: peek.stream,
      holdMs: this.config.faultHoldMs,
    };
    await deliverAnswer(out, answer, delivery, rule);
    return undefined;
  }
}

const asId = (header: string | string[] | undefined): string | null => (typeof header === 'string' ? header : null);
