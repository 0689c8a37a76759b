/** What can be wrong with right-typed manifests: names that there are not, and shapes that do not fit the programs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configKeys, workspaceRoot } from '@waymark/testing';
import type { IContainer, IProbe } from 'kubernetes-models/v1';
import { defaultOf, keyProblems, migrateProblems } from './given-keys.js';
import {
  appOf,
  containersOf,
  isWorkload,
  nameOf,
  podLabelsOf,
  podOf,
  type Manifest,
  type Workload,
} from './manifests.js';

/** Keys by name. */
export type Stored = ReadonlyMap<string, readonly string[]>;
export interface Around {
  readonly configMaps: Stored;
  readonly secrets: Stored;
  /** Names of ports that a patch gives to every service. */
  readonly patchedPorts?: readonly (string | undefined)[];
}

const root = workspaceRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const version = (JSON.parse(read('package.json')) as { version: string }).version;
/** Where every program of ours answers, in its image. */
const IMAGE_PORT = Number(/HEALTH_PORT=(\d+)/.exec(read('infra/docker/Dockerfile'))?.[1]);
/** Between the end of a program's own time and the kill, ms. */
const MARGIN_MS = 2_000;

/** Names: environment keys, images, commands, ConfigMaps, Secrets, selectors, ports. */
export function nameProblems(objects: readonly Manifest[], around: Around): string[] {
  const workloads = objects.filter(isWorkload);
  return objects.flatMap((one) => {
    const say = (what: string): string => `${nameOf(one)}: ${what}`;
    if (isWorkload(one)) return workloadProblems(one, around).map(say);
    if (one.kind === 'Service') {
      const selected = workloads.filter((workload) => selects(one.spec?.selector, workload) && workload.kind !== 'Job');
      if (selected.length !== 1) return [say(`selects ${selected.length} workloads`)];
      const names = containersOf(selected[0]!)
        .flatMap(({ ports = [] }) => ports.map(({ name }) => name))
        .concat(around.patchedPorts ?? []);
      const targets = (one.spec?.ports ?? []).map(({ targetPort }) => String(targetPort));
      return targets.filter((target) => !names.includes(target)).map((target) => say(`no port "${target}"`));
    }
    if (one.kind === 'PodDisruptionBudget') {
      const selected = workloads.filter((workload) => selects(one.spec?.selector?.matchLabels, workload));
      return selected.length === 1 && selected[0]?.metadata?.name === one.metadata?.name
        ? []
        : [say(`guards ${selected.map(nameOf).join(', ') || 'nothing'}`)];
    }
    return [];
  });
}

const selects = (labels: Record<string, string> | undefined, workload: Workload): boolean =>
  labels !== undefined && Object.entries(labels).every(([key, value]) => podLabelsOf(workload)[key] === value);

function workloadProblems(workload: Workload, around: Around): string[] {
  const own = workload.kind === 'Job' ? true : selects(workload.spec?.selector?.matchLabels, workload);
  return [
    ...(own ? [] : ['its selector is not that of its pods']),
    ...containersOf(workload).flatMap((container) => [
      ...referenceProblems(container, around),
      ...programProblems(workload, container),
    ]),
  ];
}

function referenceProblems({ env = [], envFrom = [] }: IContainer, { configMaps, secrets }: Around): string[] {
  const refs = [
    ...env.map(({ valueFrom }) => ({ map: valueFrom?.configMapKeyRef, secret: valueFrom?.secretKeyRef })),
    ...envFrom.map(({ configMapRef, secretRef }) => ({ map: configMapRef, secret: secretRef })),
  ];
  const missing = (stored: Stored, ref: { name?: string; key?: string; optional?: boolean } | undefined): boolean => {
    if (ref === undefined) return false;
    const keys = stored.get(ref.name ?? '');
    if (keys === undefined) return ref.optional !== true;
    return ref.key !== undefined && !keys.includes(ref.key);
  };
  const say = (kind: string, ref: { name?: string; key?: string } | undefined): string =>
    `no ${kind} ${ref?.name ?? ''} ${ref?.key ?? ''}`.trim();
  return refs.flatMap(({ map, secret }) => [
    ...(missing(configMaps, map) ? [say('ConfigMap', map)] : []),
    ...(missing(secrets, secret) ? [say('Secret', secret)] : []),
  ]);
}

function programProblems(workload: Workload, { image, env = [], command }: IContainer): string[] {
  const app = appOf(image);
  if (app === undefined) return image?.includes('waymark/') === true ? [`no application makes ${image}`] : [];
  const keys = env.map(({ name }) => name);
  const entry = workload.kind === 'Job' ? 'migrate' : 'main';
  return [
    ...(image?.endsWith(`waymark/${app}:${version}`) === true ? [] : [`${image ?? ''} is not version ${version}`]),
    ...(existsSync(join(root, 'apps', app, `src/${entry}.ts`)) ? [] : [`${app} has no ${entry}`]),
    ...(workload.kind === 'Job' ? migrateProblems(app, keys) : keyProblems(app, keys)),
    ...(workload.kind === 'Job' || command === undefined ? [] : ['its image knows its command']),
    ...(env.find(({ name }) => name === 'NATS_USER')?.value === (keys.includes('NATS_USER') ? app : undefined)
      ? []
      : ['not its own NATS user']),
  ];
}

/** Probes, grace, rights: of a whole workload that runs one of our programs, or of the patch that gives them. */
export function shapeProblems(workload: Workload): string[] {
  const pod = podOf(workload);
  const [container, ...more] = containersOf(workload);
  if (container === undefined || more.length > 0) return ['not one container'];
  const job = workload.kind === 'Job';
  return [
    ...rightsProblems(pod, container),
    ...(job
      ? command(container)
      : [...probeProblems(container), ...graceProblems(pod.terminationGracePeriodSeconds, container)]),
  ].map((what) => `${nameOf(workload)}: ${what}`);
}

const command = ({ command: given }: IContainer): string[] =>
  JSON.stringify(given) === '["node","dist/migrate.js"]' ? [] : ['does not migrate'];

function rightsProblems(pod: ReturnType<typeof podOf>, { securityContext: own }: IContainer): string[] {
  const user = `${pod.securityContext?.runAsUser}:${pod.securityContext?.runAsGroup}`;
  const right = {
    'no root': pod.securityContext?.runAsNonRoot === true,
    "the image's user": read('infra/docker/Dockerfile').includes(`\nUSER ${user}\n`),
    seccomp: pod.securityContext?.seccompProfile?.type === 'RuntimeDefault',
    'no token': pod.automountServiceAccountToken === false,
    'no service links': pod.enableServiceLinks === false,
    'no more rights': own?.allowPrivilegeEscalation === false,
    'nothing to write': own?.readOnlyRootFilesystem === true,
    'no capabilities': JSON.stringify(own?.capabilities) === '{"drop":["ALL"]}',
  };
  return Object.entries(right).flatMap(([what, is]) => (is ? [] : [`not so: ${what}`]));
}

function probeProblems({ ports = [], startupProbe, livenessProbe, readinessProbe }: IContainer): string[] {
  const one = (what: string, probe: IProbe | undefined, path: string): string[] => {
    const { path: asked, port } = probe?.httpGet ?? {};
    const number = ports.find(({ name }) => name === port)?.containerPort ?? port;
    return asked === path && number === IMAGE_PORT ? [] : [`${what} asks ${String(number)}${asked ?? ''}`];
  };
  return [
    ...one('startupProbe', startupProbe, '/health/startup'),
    ...one('livenessProbe', livenessProbe, '/health/live'),
    ...one('readinessProbe', readinessProbe, '/health/ready'),
  ];
}

/** The pod's grace holds what goes before SIGTERM, the drain of a program that has one, and a margin. */
function graceProblems(graceSeconds: number | undefined, { lifecycle, image, env = [] }: IContainer): string[] {
  const app = appOf(image) ?? 'runtime'; // the patch has no image: all services drain equally long
  const drains = configKeys(app).some(({ key }) => key === 'DRAIN_MS');
  const given = env.find(({ name }) => name === 'DRAIN_MS')?.value;
  const drainMs = drains ? Number(given ?? defaultOf(app, 'DRAIN_MS')) : 0;
  const beforeMs = (lifecycle?.preStop?.sleep?.seconds ?? Number.NaN) * 1_000;
  const needsMs = beforeMs + drainMs + MARGIN_MS;
  return (graceSeconds ?? 30) * 1_000 >= needsMs
    ? []
    : [`its grace is shorter than the ${needsMs} ms that its end takes`];
}
