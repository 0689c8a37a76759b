/** Every service in two replicas, each behind links of its own, on private servers that sync to disk. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { tcpProxy } from '@waymark/testing';
import { startStack } from '@waymark/testing/stack';
import { CALLER, LEASE_MS, PROVIDER_KINDS, REPLICA_NAMES, REPLICAS, SLOW_MS } from './kinds.mjs';
import { portOf, Replica } from './replica.mjs';

/** Short leases and sweeps: a recovery is seen in seconds. */
const HOLDER = { LEASE_MS: String(LEASE_MS), HEARTBEAT_MS: '400', SWEEP_MS: '300', DRAIN_MS: '10000' };
const ENV = {
  'practice-model': { LATENCY_MS: '400', FAULT_HOLD_MS: '60000' },
  all: { DRAIN_MS: '10000' },
  runtime: HOLDER,
  reviewer: HOLDER,
  budget: { LEASE_MS: String(LEASE_MS), SWEEP_MS: '300' },
  sources: { PARSE_CLAIM_MS: '3000', PARSE_CPU_MS: '10000', PARSE_WALL_MS: '30000' },
};
const NOBODY = Object.fromEntries(
  /** @type {const} */ (['budget', 'publication', 'reminder', 'sources', 'reviewer', 'runtime']).map((s) => [s, 0]),
);

export class ChaosSystem {
  /**
   * @param {import('@waymark/testing/stack').Stack} stack
   * @param {ReadonlyMap<string, Replica>} replicas by name
   * @param {import('@waymark/testing').TcpProxy} callerLink
   * @param {string} logFile
   * @param {(line: string) => void} say
   */
  constructor(stack, replicas, callerLink, logFile, say) {
    this.stack = stack;
    this.replicas = replicas;
    this.callerLink = callerLink;
    this.logFile = logFile;
    this.say = say;
    /** How many requests each fault of the provider met. @type {Record<string, number>} */
    this.struck = {};
    /** Faults of the provider that are still to strike. @type {{ kind: string, left: number }[]} */
    this.plagues = [];
  }

  /** @param {{ folder: string, say: (line: string) => void, signal: AbortSignal }} options */
  static async start({ folder, say, signal }) {
    const logFile = join(folder, 'provider-log.jsonl');
    const stack = await startStack({ replicas: NOBODY, logFile, env: ENV, signal, onProgress: say });
    /** @type {Map<string, Replica>} */
    const replicas = new Map();
    try {
      for (const name of REPLICA_NAMES) replicas.set(name, await Replica.behindProxies(stack, name));
      const callerLink = await tcpProxy({ port: portOf(stack, 'nats') });
      // One of each first: the streams are the runtime's to make, and everybody waits for them.
      for (let n = 1; n <= REPLICAS; n += 1) {
        signal.throwIfAborted();
        const wave = [...replicas.values()].filter(({ name }) => name.endsWith(`-${n}`));
        say(wave.map(({ name }) => name).join(', '));
        const started = await Promise.allSettled(wave.map(async (one) => await one.start()));
        for (const one of started) if (one.status === 'rejected') throw one.reason;
      }
      return new ChaosSystem(stack, replicas, callerLink, logFile, say);
    } catch (error) {
      for (const replica of replicas.values()) await replica.stop();
      await stack.stop();
      throw error;
    }
  }

  async stop() {
    for (const replica of this.replicas.values()) await replica.stop();
    await this.callerLink.stop();
    await this.stack.stop();
  }

  /**
   * Lets one fault happen from its begin to its end; rejects when all is stopped.
   * @param {import('./plan.mjs').Fault} fault @param {AbortSignal} signal
   */
  async strike({ kind, target, forMs }, signal) {
    const lasting = async () => await pause(forMs, undefined, { signal });
    if (target === 'model') return await this.plague(kind);
    const { stack } = this;
    switch (kind) {
      case 'kill':
      case 'drain': {
        const replica = this.replica(target);
        await replica.end(kind === 'kill' ? 'SIGKILL' : 'SIGTERM');
        await lasting();
        return await this.revive(replica);
      }
      case 'freeze': {
        const replica = this.replica(target);
        replica.signal('SIGSTOP');
        await lasting();
        return replica.signal('SIGCONT');
      }
      case 'kill-nats':
        stack.nats.kill('SIGKILL');
        await lasting();
        return await stack.nats.restart();
      case 'kill-postgres':
        stack.postgres.kill('SIGQUIT'); // at once and without a checkpoint; it takes its backends along
        await lasting();
        return await stack.postgres.restart();
      case 'kill-redis':
        stack.redis.kill('SIGKILL');
        await lasting();
        return await stack.redis.restart();
      case 'flush-redis':
        return await flush(stack.redis);
      case 'link-freeze':
        this.link(target).freeze();
        break;
      case 'link-cut':
        this.link(target).refuse();
        break;
      case 'link-slow':
        this.link(target).delay(SLOW_MS);
        break;
      case 'link-reset':
        return this.link(target).reset();
      default:
        throw new Error(`no such fault: ${kind}`);
    }
    await lasting();
    this.link(target).heal();
  }

  /** Everything back: links whole, nobody frozen, every replica up and ready. */
  async heal() {
    await this.count();
    this.plagues = [];
    await this.provider();
    for (const replica of this.replicas.values()) {
      replica.signal('SIGCONT');
      for (const link of replica.links.values()) link.heal();
    }
    this.callerLink.heal();
    await Promise.all([...this.replicas.values()].map(async (replica) => await this.revive(replica)));
  }

  /** A replica may have ended by itself: that is a finding, and it comes back all the same. @param {Replica} replica */
  async revive(replica) {
    if (!replica.alive) await replica.start();
  }

  /** One more fault of the provider: it strikes after those before it, whoever asks. @param {string} kind */
  async plague(kind) {
    await this.count();
    const rule = /** @type {typeof PROVIDER_KINDS[string]} */ (PROVIDER_KINDS[kind]);
    this.plagues.push({ kind, left: Number(rule['times']) });
    await this.provider();
  }

  /** Whom the present rules have met since they were set. */
  async count() {
    const reply = await fetch(`${this.stack.practiceUrl}/control/faults`);
    const { rules } = /** @type {{ rules: { struck: number }[] }} */ (await reply.json());
    for (const [i, plague] of this.plagues.entries()) {
      const struck = rules[i]?.struck ?? 0;
      this.struck[plague.kind] = (this.struck[plague.kind] ?? 0) + struck;
      plague.left -= struck;
    }
    this.plagues = this.plagues.filter(({ left }) => left > 0);
  }

  /** Sets the provider's rules to what is still to strike. */
  async provider() {
    const rules = this.plagues.map(({ kind, left }) => ({ ...PROVIDER_KINDS[kind], times: left }));
    const reply = await fetch(`${this.stack.practiceUrl}/control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ rules }),
    });
    if (!reply.ok) throw new Error(`practice model: ${await reply.text()}`);
    await reply.arrayBuffer();
  }

  /** @param {string} name @returns {Replica} */
  replica(name) {
    const found = this.replicas.get(name);
    if (!found) throw new Error(`no replica ${name}`);
    return found;
  }

  /** @param {string} target `<replica>><whom>` */
  link(target) {
    const [from = '', to = ''] = target.split('>');
    const link = from === CALLER ? this.callerLink : this.replica(from).links.get(to);
    if (!link) throw new Error(`no link ${target}`);
    return link;
  }
}

/** @param {import('@waymark/testing').RedisServer} redis */
async function flush(redis) {
  const { connect } = await import('node:net');
  const password = decodeURIComponent(new URL(redis.url).password);
  await new Promise((resolve, reject) => {
    const socket = connect(redis.port, '127.0.0.1', () => socket.write(`AUTH ${password}\r\nFLUSHALL\r\nQUIT\r\n`));
    socket.setTimeout(5_000, () => socket.destroy(new Error('Redis does not answer')));
    socket.once('error', reject);
    socket.once('close', resolve);
    socket.resume();
  });
}
