/**
 * infra/k8s: each object typed by kubernetes-models, each name held against what it names. With a kubectl that renders, the
 * same of what it makes of the overlays; without one that part says that it was not run. Not run here: a cluster.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';
import { defaultOf } from './infra/given-keys.js';
import { nameProblems, shapeProblems, type Around } from './infra/manifest-problems.js';
import {
  containersOf,
  FOLDERS,
  isWorkload,
  kustomization,
  nameOf,
  noKubectl,
  podOf,
  readManifests,
  render,
  type Manifest,
  type Workload,
} from './infra/manifests.js';
import { typeErrors } from './infra/type-errors.js';

const root = workspaceRoot();
const file = (path: string): string => readFileSync(join(root, path), 'utf8');
const SERVICES = ['budget', 'publication', 'reminder', 'reviewer', 'runtime', 'sources'];
const found = readManifests();
const whole = found.filter(({ patch }) => !patch).map(({ manifest }) => manifest);
const secrets = new Map(secretsAsMade());
const generated = ['../nats', '../postgres', ...FOLDERS].flatMap(
  (folder) => kustomization(folder).configMapGenerator ?? [],
);
const shapes = found.filter(({ patch }) => patch).map(({ manifest }) => manifest as Workload);
const around: Around = {
  secrets,
  patchedPorts: shapes.flatMap(containersOf).flatMap(({ ports = [] }) => ports.map(({ name }) => name)),
  configMaps: new Map(
    generated.map(({ name, literals = [], files = [] }) => [
      name,
      [...literals.map((one) => one.split('=')[0] ?? ''), ...files],
    ]),
  ),
};

/** What `tools/kubernetes-secrets.mjs` makes of what `npm run secrets` writes. */
function secretsAsMade(): [string, string[]][] {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-secrets-'));
  try {
    const env = join(folder, '.env');
    const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    node('tools/secrets.mjs', env);
    const { stdout } = node('tools/kubernetes-secrets.mjs', '--env-file', env);
    const { items } = JSON.parse(stdout) as {
      items: { metadata: { name: string }; stringData: Record<string, string> }[];
    };
    return items.map(({ metadata, stringData }) => [metadata.name, Object.keys(stringData)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An object of the files, by kind and name, changed. */
function changed(kind: string, name: string, change: (text: string) => string): Manifest {
  const one = found.find(({ manifest }) => manifest.kind === kind && manifest.metadata?.name === name)?.manifest;
  const before = JSON.stringify(one);
  const after = change(before);
  if (after === before) throw new Error(`nothing was changed in ${kind} ${name}`);
  return JSON.parse(after) as Manifest;
}

describe('infra/k8s', () => {
  it('is typed: every field there is, of its type; a misspelt field, a text for a number and a missing one are not', () => {
    expect(typeErrors(found.map(({ file: what, patch, manifest }) => ({ what, patch, manifest })))).toEqual([]);
    const planted = [
      {
        manifest: changed('Deployment', 'every-service', (text) => text.replace('livenessProbe', 'livenesProbe')),
        patch: true,
      },
      {
        manifest: changed('Deployment', 'every-service', (text) => text.replace('"replicas":2', '"replicas":"2"')),
        patch: true,
      },
      {
        manifest: changed('Deployment', 'redis', (text) =>
          text.replace('"containerPort":6379', '"containerPort":"6379"'),
        ),
      },
      {
        manifest: changed('PodDisruptionBudget', 'budget', (text) => text.replace('maxUnavailable', 'maxUnavailabel')),
      },
      { manifest: changed('Deployment', 'budget', (text) => text.replace('"selector":', '"selektor":')) },
      { manifest: changed('Job', 'budget-migrate', (text) => text.replace('"template":', '"templates":')) },
    ];
    const complaints = typeErrors(planted.map((one, index) => ({ ...one, what: String(index) })));
    expect([...new Set(complaints.map((line) => line[0]))].sort()).toEqual(planted.map((_, index) => String(index)));
  }, 240_000);

  it('has a Deployment, a health Service, a disruption budget and a migrate job for each service', () => {
    const there = whole.map(nameOf);
    for (const service of SERVICES)
      for (const kind of ['Deployment', 'Service', 'PodDisruptionBudget'])
        expect(there).toContain(`${kind} ${service}`);
    expect(there.filter((name) => name.startsWith('Job'))).toEqual(SERVICES.map((service) => `Job ${service}-migrate`));
    expect(new Set(there).size).toBe(there.length);
  });

  it('names only keys, images, ConfigMaps, Secrets, pods and ports that there are', () => {
    expect(nameProblems(whole, around)).toEqual([]);
    const planted: [Manifest, string][] = [
      [changed('Deployment', 'runtime', (text) => text.replaceAll('MODEL_NAME', 'MODEL')), 'runtime needs MODEL_NAME'],
      [
        changed('Deployment', 'budget', (text) => text.replace('"NATS_URL","valueFrom"', '"NATS_ADDRESS","valueFrom"')),
        'does not read NATS_ADDRESS',
      ],
      [
        changed('Deployment', 'budget', (text) => text.replace('"value":"budget"', '"value":"runtime"')),
        'not its own NATS user',
      ],
      [
        changed('Deployment', 'budget', (text) => text.replace('waymark-servers', 'waymark-server')),
        'no ConfigMap waymark-server NATS_URL',
      ],
      [
        changed('Job', 'budget-migrate', (text) => text.replace('"key":"DATABASE_URL"', '"key":"DB_URL"')),
        'no Secret waymark-budget DB_URL',
      ],
      [
        changed('Deployment', 'budget', (text) => text.replace('waymark/budget', 'waymark/buget')),
        'no application makes',
      ],
      [
        changed('Service', 'budget', (text) => text.replace('"targetPort":"health"', '"targetPort":"helth"')),
        'no port "helth"',
      ],
      [
        changed('PodDisruptionBudget', 'budget', (text) => text.replace('name":"budget","app', 'name":"sources","app')),
        'guards',
      ],
    ];
    for (const [one, complaint] of planted) {
      const others = whole.filter((other) => nameOf(other) !== nameOf(one));
      expect(nameProblems([...others, one], around)).toEqual(
        expect.arrayContaining([expect.stringContaining(complaint)]),
      );
    }
  });

  it('needs no Secret that nobody makes but the key of a model, and makes none that nobody needs', () => {
    const referred = new Set(
      [...JSON.stringify(whole).matchAll(/"secret(?:Key)?Ref":\{"name":"([^"]+)"/g)].map(([, name]) => name),
    );
    expect([...referred].filter((name) => !secrets.has(name ?? ''))).toEqual(['waymark-model-key']);
    expect([...secrets.keys()].filter((name) => !referred.has(name))).toEqual([]);
    const asked = (text: string, pattern: RegExp): string[] =>
      [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();
    expect([...(secrets.get('waymark-nats') ?? [])].sort()).toEqual(
      asked(file('infra/nats/users.conf'), /\$(\w+_NATS_PASSWORD)/g),
    );
    expect(secrets.get('waymark-postgres')).toEqual(
      expect.arrayContaining(asked(file('infra/postgres/init.sql'), /\\getenv \w+ (\w+)/g)),
    );
  });

  it('L2: a pod is asked where its program answers, and is killed only after the time that handing over its leases takes', () => {
    expect(shapes.flatMap(shapeProblems)).toEqual([]);
    const planted = (change: (text: string) => string): string[] =>
      shapeProblems(changed('Deployment', 'every-service', change) as Workload);
    expect(
      planted((text) => text.replace('"terminationGracePeriodSeconds":30', '"terminationGracePeriodSeconds":24')),
    ).toHaveLength(1);
    expect(planted((text) => text.replace('/health/live', '/health/alive'))).toHaveLength(1);
    expect(planted((text) => text.replace('"containerPort":8080', '"containerPort":8081'))).toHaveLength(3);
    expect(
      planted((text) => text.replace('"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false')),
    ).toHaveLength(1);
    expect(planted((text) => text.replace('"runAsUser":1000', '"runAsUser":0'))).toHaveLength(1);
    for (const service of ['runtime', 'reviewer']) {
      // A drain that its own end cuts short leaves a lease that has not begun to run out: others wait for one lease at most.
      expect(defaultOf(service, 'DRAIN_MS')).toBeLessThanOrEqual(defaultOf(service, 'LEASE_MS'));
      expect(3 * defaultOf(service, 'HEARTBEAT_MS')).toBeLessThanOrEqual(defaultOf(service, 'LEASE_MS'));
      expect(defaultOf('budget', 'LEASE_MS')).toBeGreaterThanOrEqual(defaultOf(service, 'LEASE_MS'));
    }
  });

  it('tells the cluster what each container needs, and at which memory it is ended', () => {
    const unsaid = (manifests: readonly Manifest[]): string[] =>
      manifests.filter(isWorkload).flatMap((one) =>
        containersOf(one)
          .filter(({ resources: r }) => !(r?.requests?.['cpu'] && r.requests['memory'] && r.limits?.['memory']))
          .map(() => nameOf(one)),
      );
    // A Job's stand in its patch, which all jobs share.
    const [jobs, others] = [shapes.filter(({ kind }) => kind === 'Job'), whole.filter(({ kind }) => kind !== 'Job')];
    expect([jobs.length, others.filter(isWorkload).length]).toEqual([1, SERVICES.length + 4]);
    expect(unsaid([...jobs, ...others])).toEqual([]);
    const planted = changed('Deployment', 'budget', (text) => text.replace('"limits":{"memory"', '"limits":{"cpu"'));
    expect(unsaid([planted])).toEqual(['Deployment budget']);
  });

  it('leaves room: memory for a parse beside the service, connections for all replicas while they roll', () => {
    const mebibytes = (quantity: unknown): number => {
      const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(String(quantity)) ?? [];
      return Number(number) * (unit === 'Gi' ? 1_024 : 1);
    };
    const container = (name: string) =>
      whole
        .filter(isWorkload)
        .filter((one) => one.kind !== 'Job' && one.metadata?.name === name)
        .flatMap(containersOf)[0];
    const parse = defaultOf('sources', 'PARSE_LANES') * defaultOf('sources', 'PARSE_MEMORY_MIB');
    expect(mebibytes(container('sources')?.resources?.limits?.['memory'])).toBeGreaterThanOrEqual(parse + 512);
    const replicas =
      (shapes.find(({ kind }) => kind === 'Deployment') as { spec?: { replicas?: number } }).spec?.replicas ?? 0;
    const most = Number(/max_connections=(\d+)/.exec(JSON.stringify(container('postgres')?.args))?.[1]);
    const pools = SERVICES.reduce((sum, service) => sum + defaultOf(service, 'DB_POOL'), 0);
    expect(most).toBeGreaterThanOrEqual(pools * (replicas + 1) + 2 * SERVICES.length);
    expect(file('docker-compose.yml')).toContain(`max_connections=${most}`);
  });

  it('reaches NATS and the practice model where they listen', () => {
    const ports = new Map(
      whole.flatMap((one) =>
        one.kind === 'Service' ? [[one.metadata?.name, one.spec?.ports?.map(({ port }) => port)] as const] : [],
      ),
    );
    const given = (kustomization('base').configMapGenerator ?? []).flatMap(({ literals = [] }) => literals).join('\n');
    const addresses = [...given.matchAll(/:\/\/([a-z-]+):(\d+)/g)].map(([, host, port]) => ({
      host,
      port: Number(port),
    }));
    expect(addresses.map(({ host }) => host)).toEqual(['nats', 'practice-model']);
    for (const { host, port } of addresses) expect(ports.get(host)).toEqual([port]);
    const nats = whole.find((one): one is Workload => nameOf(one) === 'StatefulSet nats')!;
    const conf = file('infra/nats/nats.conf');
    const listens = [/^listen: "0\.0\.0\.0:(\d+)"/m, /^http: "0\.0\.0\.0:(\d+)"/m].map((pattern) =>
      Number(pattern.exec(conf)?.[1]),
    );
    expect(containersOf(nats)[0]?.ports?.map(({ containerPort }) => containerPort)).toEqual(listens);
    expect(containersOf(nats)[0]?.volumeMounts?.map(({ mountPath }) => mountPath)).toContain(
      /store_dir: "([^"]+)"/.exec(conf)?.[1],
    );
    expect(podOf(nats).volumes?.map(({ configMap }) => configMap?.name)).toEqual(['waymark-nats']);
  });
});

const lacking = noKubectl();
const withKubectl = lacking === null ? it : it.skip;

describe(`infra/k8s, rendered by kubectl${lacking === null ? '' : ` (not run: ${lacking})`}`, () => {
  withKubectl.each(['overlays/outside', 'overlays/all-in-one'])(
    '%s: what comes out is typed, named and shaped as the files are',
    (folder) => {
      const objects = render(folder);
      expect(typeErrors(objects.map((manifest) => ({ what: nameOf(manifest), manifest })))).toEqual([]);
      const configMaps = objects.flatMap((one) =>
        one.kind === 'ConfigMap' ? [[one.metadata?.name ?? '', Object.keys(one.data ?? {})] as const] : [],
      );
      expect(nameProblems(objects, { secrets, configMaps: new Map(configMaps) })).toEqual([]);
      const ours = objects.filter(isWorkload).filter((one) => /waymark\//.test(containersOf(one)[0]?.image ?? ''));
      expect(ours.length).toBe(2 * SERVICES.length + (folder.endsWith('all-in-one') ? 1 : 0));
      expect(ours.flatMap(shapeProblems)).toEqual([]);
      expect(
        objects.filter(
          (one) => (one.kind === 'Namespace' ? one.metadata?.name : one.metadata?.namespace) !== 'waymark',
        ),
      ).toEqual([]);
    },
    240_000,
  );
});
