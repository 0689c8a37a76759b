import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { withClient, type PostgresServer } from './postgres.js';
import { randomPassword } from './server.js';

/** A database of its own, owned by the role of one service. */
export interface Database {
  name: string;
  /** Address with the credentials of the owning role. */
  url: string;
  drop(): Promise<void>;
}

export interface CreateDatabaseOptions {
  /** Brings an empty database to the current schema; called once per server and `service`, with the owner's address. */
  migrate: (url: string) => Promise<void>;
}

/**
 * A fresh database for one test file: a clone of a template that was migrated once per server, owned by the role
 * `service`. Its name is unique, so files on the same server never meet.
 */
export async function createDatabase(
  server: PostgresServer,
  service: string,
  { migrate }: CreateDatabaseOptions,
): Promise<Database> {
  checkName(service);
  return await withClient(server.url, async (admin) => {
    await admin.query('select pg_advisory_lock(hashtext($1))', [service]); // two calls at once: one migrates
    const password = await roleOf(admin, service);
    const template = `template_${service}`;
    if (!(await exists(admin, template))) {
      const raw = `${template}_new`;
      await admin.query(`drop database if exists ${raw} with (force)`);
      await createOwned(admin, raw, service);
      await migrate(urlOf(server, raw, service, password));
      await admin.query(`alter database ${raw} rename to ${template}`); // only a finished migration gets the name
    }
    const name = `${service}_${randomBytes(5).toString('hex')}`;
    await createOwned(admin, name, service, template);
    return handle(server, name, service, password);
  });
}

/**
 * Role and empty database of a service, both named like it; nobody else may connect. A second call on the same server
 * returns the same database.
 */
export async function createServiceDatabase(server: PostgresServer, service: string): Promise<Database> {
  checkName(service);
  return await withClient(server.url, async (admin) => {
    await admin.query('select pg_advisory_lock(hashtext($1))', [service]);
    const password = await roleOf(admin, service);
    if (!(await exists(admin, service))) await createOwned(admin, service, service);
    return handle(server, service, service, password);
  });
}

function handle(server: PostgresServer, name: string, role: string, password: string): Database {
  return {
    name,
    url: urlOf(server, name, role, password),
    async drop(): Promise<void> {
      await withClient(server.url, (admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** Creates the role if it is missing and returns its password, which the server keeps for us as a comment. */
async function roleOf(admin: pg.Client, role: string): Promise<string> {
  const { rows } = await admin.query<{ password: string | null }>(
    `select shobj_description(oid, 'pg_authid') as password from pg_roles where rolname = $1`,
    [role],
  );
  if (rows[0]?.password) return rows[0].password;
  const password = randomPassword();
  await admin.query(`create role ${role} login password '${password}'`);
  await admin.query(`comment on role ${role} is '${password}'`);
  return password;
}

async function exists(admin: pg.Client, database: string): Promise<boolean> {
  return (await admin.query('select 1 from pg_database where datname = $1', [database])).rowCount === 1;
}

async function createOwned(admin: pg.Client, name: string, owner: string, template?: string): Promise<void> {
  await admin.query(`create database ${name} owner ${owner}${template === undefined ? '' : ` template ${template}`}`);
  await admin.query(`revoke connect on database ${name} from public`); // the owner keeps it; a clone does not inherit it
}

function urlOf(server: PostgresServer, database: string, role: string, password: string): string {
  return `postgres://${role}:${password}@${server.host}:${server.port}/${database}`;
}

function checkName(name: string): void {
  if (!/^[a-z][a-z_]{0,40}$/.test(name)) throw new Error(`"${name}" is no name for a role: small letters and _ only`);
}
