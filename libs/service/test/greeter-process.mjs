// A service of the smallest kind on the built libraries, to be ended by signals. HANG=1: its drain never ends.
import { Controller, Module } from '@nestjs/common';
import { contract } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { createLogger } from '@waymark/telemetry';
import { z } from 'zod';
import { baseEnv, bootService, readConfig, serviceConfig } from '@waymark/service';

const slow = contract('waymark.test.v1.slow', z.strictObject({ ms: z.int() }), z.unknown());
class Slow {
  async slow({ ms }) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { done: true };
  }
}
Handle(slow)(Slow.prototype, 'slow', Object.getOwnPropertyDescriptor(Slow.prototype, 'slow'));
Controller()(Slow);
class SlowModule {}
Module({ controllers: [Slow] })(SlowModule);

const env = readConfig(z.object({ ...baseEnv, HANG: z.string().optional() }), process.env);
await bootService({
  name: 'slow',
  module: SlowModule,
  config: serviceConfig(env),
  logger: createLogger('slow', { level: env.LOG_LEVEL }),
  outbox: false,
  onDrain: () => (env.HANG === undefined ? undefined : new Promise(() => undefined)),
});
