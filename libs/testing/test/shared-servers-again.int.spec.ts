import v8 from 'node:v8';
import { sharedServers } from '../src/index.js';

describe('shared servers', () => {
  it('a second test file of the same process meets the same servers', async () => {
    const first = await sharedServers();
    const kept = (v8 as unknown as Record<symbol, string>)[Symbol.for('waymark.shared-servers')] ?? '{}';
    expect(JSON.parse(kept)).toMatchObject({ nats: { name: first.nats.name }, postgres: { pid: first.postgres.pid } });
    expect(first.nats.access()).toEqual({ servers: first.nats.url });
    expect(() => first.nats.access('budget')).toThrow('startNats({ auth })');
  });
});
