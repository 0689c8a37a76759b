import 'reflect-metadata';
import { readConfig } from './config.js';
import { PRACTICE_LABEL } from './core/protocol/models.js';
import { startPracticeModel } from './start-practice-model.js';

try {
  const model = await startPracticeModel(readConfig());
  process.stdout.write(`${JSON.stringify({ service: PRACTICE_LABEL, listening: model.url, port: model.port })}\n`);
  const stop = (): void => {
    model.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
