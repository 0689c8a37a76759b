import { jest } from '@jest/globals';
import * as first from '../src/index.js';

describe('shared servers', () => {
  it('a test file with modules of its own meets the servers that an earlier one started', async () => {
    const servers = await first.sharedServers();
    jest.resetModules(); // what jest does between two files
    const second = await import('../src/index.js');
    expect(second.sharedServers).not.toBe(first.sharedServers);
    const again = await second.sharedServers();
    expect(again.postgres).toEqual(servers.postgres);
    expect(again.nats.name).toBe(servers.nats.name);
    expect(again.nats.access()).toEqual({ servers: servers.nats.url });
    expect(() => again.nats.access('budget')).toThrow('startNats({ auth })');
  });
});
