/** Where a secret stands: everything that the system stores, sends, prints and is started with is searched. */
import { readdirSync, readFileSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Stack } from '@waymark/testing/stack';
import { Redis } from 'ioredis';
import pg from 'pg';

export class SecretSearch {
  readonly #needles: readonly Buffer[];
  readonly found: string[] = [];
  /** How much was looked at, by place: a search of nothing finds nothing. */
  readonly looked = new Map<string, number>();
  /** Who gave something to look at: `outputs: runtime-1`, `databases: budget`. */
  readonly heard = new Set<string>();

  constructor(secret: string) {
    const bytes = Buffer.from(secret);
    const shifted = [0, 1, 2].map((shift) => {
      const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
      return text.slice(shift === 0 ? 0 : 4, -4); // what stands around it changes the ends
    });
    this.#needles = [secret, bytes.toString('hex'), ...shifted].map((text) => Buffer.from(text));
  }

  look(place: string, where: string, text: string | Uint8Array): void {
    const bytes = Buffer.from(text);
    this.looked.set(place, (this.looked.get(place) ?? 0) + bytes.length);
    if (bytes.length > 0) this.heard.add(`${place}: ${where.split(' ')[0]}`);
    if (this.#needles.some((needle) => bytes.includes(needle))) this.found.push(`${place}: ${where}`);
  }

  /** Every row of every table, bytes as hex. */
  async databases(databases: Stack['databases']): Promise<void> {
    for (const [service, url] of Object.entries(databases)) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        const { rows: tables } = await client.query<{ name: string }>(
          `select format('%I.%I', schemaname, tablename) as name from pg_tables
           where schemaname not in ('pg_catalog', 'information_schema')`,
        );
        for (const { name } of tables) {
          const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
          for (const { row } of rows) this.look('databases', `${service} ${name}`, row);
        }
      } finally {
        await client.end();
      }
    }
  }

  /** Every message of every stream, headers too: events, work, stored objects. */
  async streams(nc: NatsConnection): Promise<void> {
    const manager = await jetstreamManager(nc);
    for await (const { config, state } of manager.streams.list()) {
      for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
        const message = await manager.streams.getMessage(config.name, { seq });
        if (!message) continue; // taken off the queue
        this.look('streams', `${config.name} ${message.subject}`, message.data);
        this.look('streams', `${config.name} headers`, message.header.toString());
      }
    }
  }

  async redis(url: string): Promise<void> {
    const redis = new Redis(url);
    try {
      for (const key of await redis.keys('*')) {
        this.look('redis', 'keys', key);
        const kind = await redis.type(key);
        if (kind !== 'string') throw new Error(`redis holds a ${kind}, which nobody searches`);
        this.look('redis', key, (await redis.getBuffer(key)) ?? '');
      }
    } finally {
      redis.disconnect();
    }
  }

  /** What each process of the stack has printed. */
  outputs({ processes, nats, redis, postgres }: Stack): void {
    for (const [name, service] of processes) this.look('outputs', name, service.output());
    for (const server of [nats, redis, postgres]) this.look('outputs', server.name, server.output());
  }

  /** Arguments of every process of this machine that we may see. */
  arguments(): void {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        this.look('arguments', pid, readFileSync(`/proc/${pid}/cmdline`));
      } catch {
        // it has ended, or is not ours to see
      }
    }
  }

  /** The provider's log, its bodies decoded. */
  providerLog(path: string): void {
    const text = readFileSync(path, 'utf8');
    this.look('provider log', path, text);
    for (const [, body = ''] of text.matchAll(/"bytesBase64":"([^"]+)"/g))
      this.look('provider log', 'a body', Buffer.from(body, 'base64'));
  }
}
