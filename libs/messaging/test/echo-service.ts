import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions, NatsContext } from '@nestjs/microservices';
import { contract } from '@waymark/contracts/wire';
import { z } from 'zod';
import { Bus, Handle, WaymarkServer, WireError, type Log } from '../src/index.js';

const number = z.int().min(0).max(100);
/** Echoes with a delay, and fails on demand. */
export const echo = contract(
  'waymark.test.v1.echo',
  z.strictObject({ text: z.string().max(20), times: number.default(1), delayMs: z.int().min(0).optional() }),
  z.strictObject({ text: z.string(), by: z.string(), trace: z.string() }),
  { access: 'internal', summary: 'says it again' },
);
export const misbehave = contract(
  'waymark.test.v1.misbehave',
  z.strictObject({ how: z.enum(['throw', 'refuse', 'too_large', 'nothing', 'outage']) }),
  z.unknown(),
  { access: 'internal', summary: 'goes wrong as it is told' },
);

export interface EchoService {
  served: string[];
  close(): Promise<void>;
}

/** A Nest application that serves both on the given bus. */
export async function startEcho(bus: Bus, by: string, log?: Log, queue = 'echo'): Promise<EchoService> {
  const served: string[] = [];
  @Controller()
  class Echo {
    @Handle(echo)
    async echo(request: z.output<typeof echo.request>, ctx: NatsContext) {
      served.push(request.text);
      if (request.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, request.delayMs));
      const headers = ctx.getHeaders() as { get(name: string): string } | undefined;
      return { text: request.text.repeat(request.times), by, trace: headers?.get('traceparent') ?? '' };
    }
    @Handle(misbehave)
    misbehave({ how }: z.output<typeof misbehave.request>): unknown {
      if (how === 'throw') throw new Error('SECRET: at /home/somebody, password=x');
      if (how === 'outage') throw Object.assign(new Error('connect to SECRET'), { code: 'ECONNREFUSED' });
      if (how === 'refuse')
        throw new WireError({ code: 'unknown_run', message: 'no such run', remedy: 'list them', field: 'run' });
      return how === 'too_large' ? { text: 'x'.repeat(600_000) } : undefined;
    }
  }
  @Module({ controllers: [Echo] })
  class EchoModule {}
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(EchoModule, {
    strategy: new WaymarkServer({ bus, queue, log }),
    logger: false,
    abortOnError: false,
  });
  await app.listen();
  return { served, close: () => app.close() };
}

export interface Line {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

/** A log that remembers. */
export function memoryLog(): Log & { lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
