/** How NATS is reached: flags win over the environment. A password comes by environment or file, never as an argument. */
import { readFileSync } from 'node:fs';
import { WaymarkError } from '@waymark/client';
import { WrongUse } from './wrong-use.js';

export interface ConnectionFlags {
  readonly nats?: string;
  readonly natsUser?: string;
  readonly natsPassFile?: string;
}
export interface Connection {
  readonly servers: string;
  readonly user?: string;
  readonly pass?: string;
}

const DEFAULT_URL = 'nats://127.0.0.1:4222';

/** The only reader of the environment. Refuses `bad_configuration`, naming the key and never a value. */
export function readConnection(flags: ConnectionFlags, env: NodeJS.ProcessEnv = process.env): Connection {
  const servers = flags.nats ?? (env['WAYMARK_NATS_URL'] || DEFAULT_URL);
  if (!/^(nats|tls):\/\/[^@\s]+$/.test(servers)) {
    throw refuse(
      `${flags.nats === undefined ? 'WAYMARK_NATS_URL' : '--nats'} is no address`,
      'write nats://host:port; user and password apart',
    );
  }
  const user = flags.natsUser ?? env['WAYMARK_NATS_USER'];
  const pass = flags.natsPassFile ? fromFile('--nats-pass-file', flags.natsPassFile) : passFrom(env);
  if ((user ?? '') === '') return { servers };
  if (pass === undefined) {
    throw refuse(
      'a user without a password',
      'set WAYMARK_NATS_PASS or WAYMARK_NATS_PASS_FILE, or give --nats-pass-file',
    );
  }
  return { servers, user, pass };
}

function passFrom(env: NodeJS.ProcessEnv): string | undefined {
  if (env['WAYMARK_NATS_PASS']) return env['WAYMARK_NATS_PASS'];
  const path = env['WAYMARK_NATS_PASS_FILE'];
  return path ? fromFile('WAYMARK_NATS_PASS_FILE', path) : undefined;
}

function fromFile(key: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new WaymarkError({
      code: 'bad_configuration',
      message: `${key}: the file cannot be read (${why})`,
      remedy: 'name a file that holds the password',
    });
  }
}

const refuse = (message: string, remedy: string): WrongUse =>
  new WrongUse({ code: 'bad_configuration', message, remedy });
