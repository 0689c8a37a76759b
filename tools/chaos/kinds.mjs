/** What can go wrong, by kind. */
import { STACK_SERVICES } from '@waymark/testing/stack';

/** Of every service. */
export const REPLICAS = 2;
/** Ms; of runtime, reviewer and budget here. A frozen owner sleeps longer than this. */
export const LEASE_MS = 3_000;
/** The caller who follows runs; it has a link to NATS of its own. */
export const CALLER = 'caller';

export const REPLICA_NAMES = STACK_SERVICES.flatMap((service) =>
  Array.from({ length: REPLICAS }, (_, i) => `${service}-${i + 1}`),
);

/** @param {string} replica */
export const serviceOf = (replica) => replica.replace(/-\d+$/, '');

/** Whom a replica reaches through links of its own. @param {string} replica */
export function linksOf(replica) {
  switch (serviceOf(replica)) {
    case CALLER:
      return ['nats'];
    case 'runtime':
      return ['nats', 'postgres', 'model', 'redis'];
    case 'reviewer':
      return ['nats', 'postgres', 'model'];
    default:
      return ['nats', 'postgres'];
  }
}

const LINKS = [...REPLICA_NAMES, CALLER].flatMap((replica) => linksOf(replica).map((to) => `${replica}>${to}`));

/**
 * Faults of processes, servers and links: their targets, and how long they last in ms. A target that was killed or drained
 * comes back after that time.
 * @type {Readonly<Record<string, { readonly targets: readonly string[], readonly ms: readonly [number, number] }>>}
 */
export const SYSTEM_KINDS = {
  kill: { targets: REPLICA_NAMES, ms: [200, 1_500] },
  drain: { targets: REPLICA_NAMES, ms: [200, 1_500] },
  freeze: { targets: REPLICA_NAMES, ms: [LEASE_MS + 1_500, LEASE_MS + 3_000] },
  'kill-nats': { targets: ['nats'], ms: [100, 1_500] },
  'kill-postgres': { targets: ['postgres'], ms: [100, 1_500] },
  'kill-redis': { targets: ['redis'], ms: [100, 2_000] },
  'flush-redis': { targets: ['redis'], ms: [0, 0] },
  'link-freeze': { targets: LINKS, ms: [1_000, LEASE_MS + 2_000] },
  'link-cut': { targets: LINKS, ms: [500, LEASE_MS + 1_000] },
  'link-reset': { targets: LINKS, ms: [0, 0] },
  'link-slow': { targets: LINKS, ms: [2_000, 4_000] },
};

/** Ms that each chunk is late on a slow link. */
export const SLOW_MS = 250;

/**
 * Faults of the provider: rules of the practice model (apps/practice-model). Each waits for its turn and strikes one or two
 * requests, whoever asks.
 * @type {Readonly<Record<string, Readonly<Record<string, unknown>>>>}
 */
export const PROVIDER_KINDS = {
  'provider-429': { fault: 'status', status: 429, times: 2 },
  'provider-429-retry-after': { fault: 'status', status: 429, retryAfter: 1, times: 2 },
  'provider-500': { fault: 'status', status: 500, times: 2 },
  'provider-503': { fault: 'status', status: 503, body: false, times: 2 },
  'provider-401': { fault: 'status', status: 401, times: 1 },
  'provider-too-long': { fault: 'status', status: 413, times: 1 },
  'provider-stall': { fault: 'stall', times: 1 },
  'provider-stall-after': { fault: 'stall_after', bytes: 20, times: 1 },
  'provider-pings': { fault: 'pings_only', everyMs: 100, times: 1 },
  'provider-slow': { fault: 'slow', everyMs: 100, times: 1 },
  'provider-cut': { fault: 'cut', chunks: 1, times: 2 },
  'provider-error-after': { fault: 'mid_error', chunks: 1, times: 2 },
  'provider-garbage-html': { fault: 'garbage', form: 'html', times: 1 },
  'provider-garbage-sse': { fault: 'garbage', form: 'sse', times: 1 },
  'provider-empty': { fault: 'empty', times: 2 },
  'provider-length': { fault: 'length', times: 1 },
  'provider-filtered': { fault: 'filtered', times: 1 },
  'provider-always-tools': { fault: 'always_tools', times: 2 },
  'provider-broken-call': { fault: 'bad_tool_json', times: 2 },
  'provider-unknown-tool': { fault: 'unknown_tool', times: 2 },
  'provider-late': { fault: 'latency', ms: 1_500, times: 2 },
};
