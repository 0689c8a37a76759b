/** Private servers, processes and faults for tests, demo and benchmarks. Never used by a service. */
export { appNames, baseKeys, configKeys, type ConfigKey } from './config-keys.js';
export { createDatabase, createServiceDatabase, type CreateDatabaseOptions, type Database } from './database.js';
export { freePort } from './free-port.js';
export {
  NATS_MAX_PAYLOAD,
  startNats,
  type NatsAccess,
  type NatsOptions,
  type NatsServer,
  type NatsSubjects,
  type NatsUser,
} from './nats.js';
export { newRun } from './new-run.js';
export { startOwned, type Exit, type OwnedProcess, type OwnedProcessOptions } from './owned-process.js';
export { startPostgres, withClient, type PostgresOptions, type PostgresServer } from './postgres.js';
export { startRedis, type RedisServer } from './redis.js';
export { findBinary, type RunningServer, type Server } from './server.js';
export { startProcess, type ServiceProcess, type ServiceProcessOptions } from './service-process.js';
export { sharedServers, type SharedServers } from './shared-servers.js';
export { tcpProxy, type Direction, type TcpProxy } from './tcp-proxy.js';
export { until, type UntilOptions } from './until.js';
export { workspaceRoot } from './workspace-root.js';
