import { Body, Controller, Delete, Get, HttpCode, HttpException, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { RequestLog } from '../files/request-log.js';
import { FaultBoard } from '../../handlers/fault-board.js';
import { faultPlanSchema } from './fault-plan.schema.js';

const latencySchema = z.strictObject({ ms: z.number().int().min(0).max(600_000) });
const logQuery = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(10_000).default(1000),
  digestsOnly: z.enum(['true', 'false']).default('false'),
});

/** What tests and operators steer and read; it is not part of the provider's API. */
@Controller()
export class ControlController {
  constructor(
    private readonly faults: FaultBoard,
    private readonly log: RequestLog,
  ) {}

  @Post('control/faults')
  @HttpCode(200)
  replace(@Body() body: unknown): object {
    return this.faults.replace(read(faultPlanSchema, jsonOf(body)).rules);
  }

  @Get('control/faults')
  current(): object {
    return this.faults.current();
  }

  @Delete('control/faults')
  clear(): object {
    return this.faults.replace([]);
  }

  @Post('control/latency')
  @HttpCode(200)
  latency(@Body() body: unknown): object {
    this.faults.latencyMs = read(latencySchema, jsonOf(body)).ms;
    return { ms: this.faults.latencyMs };
  }

  @Get('log')
  page(@Query() query: unknown): object {
    const { after, limit, digestsOnly } = read(logQuery, query);
    return this.log.page(after, limit, digestsOnly === 'true');
  }
}

function jsonOf(body: unknown): unknown {
  try {
    return JSON.parse(Buffer.isBuffer(body) ? body.toString('utf8') : '');
  } catch {
    throw refused('The body is not JSON.');
  }
}

function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refused(parsed.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; '));
}

const refused = (message: string): HttpException =>
  new HttpException({ code: 'invalid_input', message, remedy: "See the practice model's README for the shape." }, 400);
