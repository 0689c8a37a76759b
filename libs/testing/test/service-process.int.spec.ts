import { startProcess, workspaceRoot } from '../src/index.js';

const entry = `${workspaceRoot()}/libs/testing/test/programs/service.mjs`;

describe('service processes', () => {
  it('a service counts as started when its ready endpoint says so, and ends in order', async () => {
    process.env['SECRET_OF_THE_PARENT'] = 'leaked';
    const service = await startProcess({ name: 'tiny', entry, env: { READY_AFTER_MS: '150' } });
    expect(await service.health('ready')).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.output()).toContain('inherited: nothing');
    expect(service.output()).toContain('drained');
    expect(service.alive()).toBe(false);
  });

  it('a service that ends before it is ready is reported with what it said', async () => {
    const failing = startProcess({ name: 'failing', entry, env: { FAIL: '1' } });
    await expect(failing).rejects.toThrow(
      /failing ended before it was ready: \{"code":3.*\nfailing said:\n[^]*bad configuration/,
    );
  });

  it('a service that never gets ready is killed and named', async () => {
    const late = startProcess({ name: 'late', entry, env: { READY_AFTER_MS: '60000' }, readyTimeoutMs: 300 });
    await expect(late).rejects.toThrow('waited 300 ms for late to be ready');
  });

  it('a frozen service answers nobody and goes on after SIGCONT; a killed one says how it ended', async () => {
    const service = await startProcess({ name: 'zombie', entry, env: {} });
    service.kill('SIGSTOP');
    expect(await service.health('ready')).toBeUndefined();
    service.kill('SIGCONT');
    expect(await service.health('ready')).toBe(200);
    service.kill('SIGKILL');
    expect(await service.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(service.kill('SIGTERM')).toBe(false);
  });
});
