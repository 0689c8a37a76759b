import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { RequestLog } from './adapters/files/request-log.js';
import type { PracticeConfig } from './config.js';
import { PracticeModelModule } from './practice-model.module.js';

export interface PracticeModel {
  /** `http://host:port`; the API stands under `/v1`. */
  url: string;
  port: number;
  /** Cuts what still hangs and closes the log. */
  stop(): Promise<void>;
}

export async function startPracticeModel(config: PracticeConfig): Promise<PracticeModel> {
  const adapter = new FastifyAdapter({ bodyLimit: 64 * 1024 * 1024, forceCloseConnections: true });
  const app = await NestFactory.create<NestFastifyApplication>(PracticeModelModule.with(config), adapter, {
    bodyParser: false,
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  // The bytes as they came: the log must hold them exactly, and parsing is the model's own affair.
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  await app.listen(config.port, config.host);
  const { port } = app.getHttpServer().address() as { port: number };
  const stop = async (): Promise<void> => {
    await app.close();
    app.get(RequestLog).close();
  };
  return { url: `http://${config.host}:${port}`, port, stop };
}
