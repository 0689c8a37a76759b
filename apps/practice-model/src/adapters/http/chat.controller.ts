import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { MODELS, PRACTICE_LABEL } from '../../core/protocol/models.js';
import { AnswerChat } from '../../handlers/answer-chat.js';
import { anthropicWire } from '../wire/anthropic-wire.js';
import { openAiWire } from '../wire/openai-wire.js';
import type { Wire } from '../wire/wire.js';
import { ReplyStream } from './reply-stream.js';

/** The two parts of fastify's objects that are used, so that its types stay out of the injected signatures. */
interface RawRequest {
  body: unknown;
  headers: IncomingHttpHeaders;
}
interface RawReply {
  raw: ServerResponse;
  hijack(): void;
}

@Controller('v1')
export class ChatController {
  constructor(private readonly answerChat: AnswerChat) {}

  @Post('chat/completions')
  async complete(@Req() request: RawRequest, @Res() reply: RawReply): Promise<void> {
    await this.answer(openAiWire, request, reply);
  }

  @Post('messages')
  async message(@Req() request: RawRequest, @Res() reply: RawReply): Promise<void> {
    await this.answer(anthropicWire, request, reply);
  }

  private async answer(wire: Wire, request: RawRequest, reply: RawReply): Promise<void> {
    reply.hijack();
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const out = new ReplyStream(reply.raw);
    try {
      await this.answerChat.handle(wire, bytes, request.headers, out);
    } catch (error) {
      // Nothing of this may look like an answer: without a log line the proof of what arrived would have a hole.
      process.stderr.write(`practice-model: ${error instanceof Error ? error.stack : String(error)}\n`);
      reply.raw.destroy();
    }
  }

  /** In the form that clients of either API read. */
  @Get('models')
  models(): object {
    const data = MODELS.map((id) => ({
      ...{ id, object: 'model', created: 0, owned_by: PRACTICE_LABEL },
      ...{ type: 'model', display_name: PRACTICE_LABEL, created_at: '1970-01-01T00:00:00Z' },
    }));
    return { object: 'list', data, has_more: false, first_id: MODELS[0], last_id: MODELS.at(-1) };
  }
}
