import { createLogger, nestLogger, type LogLevel } from './index.js';

function lines(use: (logger: ReturnType<typeof createLogger>) => void, level?: LogLevel): Record<string, unknown>[] {
  const written: string[] = [];
  use(createLogger('budget', { level, destination: { write: (line: string) => void written.push(line) } }));
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a log line', () => {
  it('is JSON with the level by name, the time as RFC 3339, the service, and an error with its code and stack', () => {
    const [line] = lines((logger) =>
      logger.error({ err: Object.assign(new Error('broken'), { code: 'E1' }), run: 7 }, 'failed'),
    );
    expect(line).toMatchObject({ level: 'error', service: 'budget', msg: 'failed', run: 7 });
    expect(line?.['err']).toMatchObject({ type: 'Error', code: 'E1', message: 'broken', stack: expect.any(String) });
    expect(new Date(String(line?.['time'])).toISOString()).toBe(line?.['time']);
  });

  it('bears no secret: by key three levels deep, and no credentials of an address in an error', () => {
    const [first, second] = lines((logger) => {
      logger.info({ token: 'SECRET', config: { natsPass: 'SECRET', http: { authorization: 'SECRET' } } }, 'started');
      logger.error({ err: new Error('cannot reach postgres://me:SECRET@db:5432/x or nats://a:SEC@RET@n') }, 'failed');
    });
    expect(JSON.stringify([first, second])).not.toMatch(/SEC@?RET/);
    expect(first).toMatchObject({ token: '[redacted]', config: { natsPass: '[redacted]' } });
    expect(second?.['err']).toMatchObject({ message: 'cannot reach postgres://db:5432/x or nats://n' });
  });

  it('is written from the level on that was asked for', () => {
    const written = lines((logger) => {
      logger.info('no');
      logger.warn('yes');
    }, 'warn');
    expect(written.map(({ msg }) => msg)).toEqual(['yes']);
  });
});

describe("Nest's own words", () => {
  it('are written as ours, and those about its start only when debugging', () => {
    const speak = (logger: ReturnType<typeof createLogger>): void => {
      const nest = nestLogger(logger);
      nest.log('AppModule dependencies initialized', 'InstanceLoader');
      nest.log('something of the application', 'Budget');
      nest.error(new Error('broken'), 'stack', 'ExceptionsHandler');
      nest.verbose('chatter');
    };
    expect(lines(speak).map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'something of the application'],
      ['error', 'broken'],
    ]);
    expect(lines(speak, 'debug')[0]).toMatchObject({ level: 'debug', context: 'InstanceLoader' });
  });
});
