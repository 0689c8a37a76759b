import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConnection } from './config.js';

const refusal = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return error;
  }
};

describe('how NATS is reached', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-config-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('flags win over the environment; a password comes by environment or file', () => {
    writeFileSync(join(folder, 'pass'), 'from-file\n');
    const env = { WAYMARK_NATS_URL: 'nats://env:1', WAYMARK_NATS_USER: 'cli', WAYMARK_NATS_PASS: 'from-env' };
    expect(readConnection({}, {})).toEqual({ servers: 'nats://127.0.0.1:4222' });
    expect(readConnection({}, env)).toEqual({ servers: 'nats://env:1', user: 'cli', pass: 'from-env' });
    expect(readConnection({ nats: 'nats://flag:2', natsPassFile: join(folder, 'pass') }, env)).toEqual({
      ...{ servers: 'nats://flag:2', user: 'cli', pass: 'from-file' },
    });
  });

  it('a bad address, a user without a password and a file that is not there are named, never a value', () => {
    const address = refusal(() => readConnection({}, { WAYMARK_NATS_URL: 'nats://me:secret@host:1' })) as Error;
    expect(address).toMatchObject({ code: 'bad_configuration', message: expect.stringContaining('WAYMARK_NATS_URL') });
    expect(JSON.stringify(address)).not.toContain('secret');
    expect(refusal(() => readConnection({ natsUser: 'cli' }, {}))).toMatchObject({ code: 'bad_configuration' });
    const file = refusal(() => readConnection({}, { WAYMARK_NATS_PASS_FILE: join(folder, 'none') }));
    expect(file).toMatchObject({ message: 'WAYMARK_NATS_PASS_FILE: the file cannot be read (ENOENT)' });
  });
});
