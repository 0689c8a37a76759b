/** One replica of a service: a name whose process comes and goes, and a link of its own to everybody it needs. */
import { tcpProxy } from '@waymark/testing';
import { linksOf, serviceOf } from './kinds.mjs';

/**
 * @typedef {import('@waymark/testing').TcpProxy} TcpProxy
 * @typedef {import('@waymark/testing').ServiceProcess} ServiceProcess
 * @typedef {import('@waymark/testing/stack').Stack} Stack
 * @typedef {import('@waymark/testing/stack').StackService} StackService
 *
 * @typedef {object} Incarnation
 * @property {ServiceProcess} process
 * @property {NodeJS.Signals | null} told the signal that ended it; null when nobody asked it to end
 */

/** Milliseconds from SIGTERM to SIGKILL. The services themselves give up after DRAIN_MS. */
const DRAIN_MS = 15_000;

export class Replica {
  /** @type {Incarnation[]} */
  incarnations = [];

  /** @param {Stack} stack @param {string} name @param {ReadonlyMap<string, TcpProxy>} links by whom they lead to */
  constructor(stack, name, links) {
    this.stack = stack;
    this.name = name;
    this.service = /** @type {StackService} */ (serviceOf(name));
    this.links = links;
  }

  /** @param {Stack} stack @param {string} name */
  static async behindProxies(stack, name) {
    const links = new Map();
    for (const to of linksOf(name)) links.set(to, await tcpProxy({ port: portOf(stack, to) }));
    return new Replica(stack, name, links);
  }

  /** Starts it and waits until it is ready. */
  async start() {
    const { stack, service } = this;
    const through = (/** @type {string} */ to, /** @type {string} */ url) => this.links.get(to)?.through(url) ?? url;
    const env = {
      NATS_URL: `nats://127.0.0.1:${this.links.get('nats')?.port}`,
      DATABASE_URL: through('postgres', stack.databases[service]),
      ...(this.links.has('redis') ? { REDIS_URL: through('redis', stack.redis.url) } : {}),
      ...(this.links.has('model') ? { MODEL_URL: through('model', stack.modelUrl) } : {}),
    };
    this.incarnations.push({ process: await stack.start(service, this.name, env), told: null });
  }

  /** @returns {Incarnation | undefined} */
  get newest() {
    return this.incarnations.at(-1);
  }

  get alive() {
    return this.newest?.process.alive() === true;
  }

  /** @param {'SIGKILL' | 'SIGTERM'} signal */
  async end(signal) {
    const newest = this.newest;
    if (!newest?.process.alive()) return;
    newest.told = signal;
    await newest.process.stop(signal, DRAIN_MS);
  }

  /** @param {'SIGSTOP' | 'SIGCONT'} signal */
  signal(signal) {
    this.newest?.process.kill(signal);
  }

  async stop() {
    await this.end('SIGKILL');
    for (const link of this.links.values()) await link.stop();
  }
}

/** @param {Stack} stack @param {string} to */
export function portOf(stack, to) {
  switch (to) {
    case 'nats':
      return stack.nats.port;
    case 'postgres':
      return stack.postgres.port;
    case 'redis':
      return stack.redis.port;
    default:
      return Number(new URL(stack.modelUrl).port);
  }
}
