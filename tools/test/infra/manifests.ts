/** The Kubernetes objects of infra/k8s: as their files hold them, and as kubectl renders them where it is there. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';
import type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IJob } from 'kubernetes-models/batch/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IConfigMap, IContainer, IPodSpec, IService } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';

interface Other {
  apiVersion: string;
  kind: 'Namespace' | 'NetworkPolicy';
  metadata?: { name?: string; namespace?: string };
}
export type Manifest = IDeployment | IStatefulSet | IJob | IService | IPodDisruptionBudget | IConfigMap | Other;
/** A manifest with the file that it stands in; a patch holds only a part of it. */
export interface Found {
  readonly file: string;
  readonly patch: boolean;
  readonly manifest: Manifest;
}

export const K8S = join(workspaceRoot(), 'infra/k8s');
export const FOLDERS = ['base', 'overlays/outside', 'overlays/all-in-one'] as const;

interface Kustomization {
  resources?: string[];
  patches?: { path: string }[];
  configMapGenerator?: { name: string; literals?: string[]; files?: string[] }[];
}

/** The kustomization of a folder, relative to infra/k8s. */
export function kustomization(folder: string): Kustomization {
  return documents(readFileSync(join(K8S, folder, 'kustomization.yaml'), 'utf8'))[0] as Kustomization;
}

/** Every object of every file, and that each file is named by its kustomization. */
export function readManifests(): Found[] {
  return FOLDERS.flatMap((folder) => {
    const { resources = [], patches = [] } = kustomization(folder);
    const patchFiles = patches.map(({ path }) => path);
    const files = readdirSync(join(K8S, folder)).filter(
      (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
    );
    const unnamed = files.filter((name) => !resources.includes(name) && !patchFiles.includes(name));
    if (unnamed.length > 0) throw new Error(`${folder}/kustomization.yaml does not name ${unnamed.join(', ')}`);
    return files.flatMap((name) =>
      documents(readFileSync(join(K8S, folder, name), 'utf8')).map((manifest) => ({
        file: `${folder}/${name}`,
        patch: patchFiles.includes(name),
        manifest: manifest as Manifest,
      })),
    );
  });
}

export function documents(text: string): unknown[] {
  return parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return document.toJS() as unknown;
  });
}

/** Why manifests cannot be rendered here, or null. Before 1.27 kubectl holds a kustomize that knows less than we write. */
export function noKubectl(): string | null {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  if (status !== 0) return 'no kubectl on this machine';
  const minor = Number.parseInt(/"minor":\s*"(\d+)/.exec(stdout)?.[1] ?? '0', 10);
  return minor >= 27 ? null : `kubectl 1.${minor} is too old`;
}

/** What `kubectl kustomize` makes of a folder; throws with its complaint. */
export function render(folder: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(K8S, folder)], {
    encoding: 'utf8',
    maxBuffer: 32 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  return documents(stdout) as Manifest[];
}

export type Workload = IDeployment | IStatefulSet | IJob;
export const isWorkload = (one: Manifest): one is Workload =>
  one.kind === 'Deployment' || one.kind === 'StatefulSet' || one.kind === 'Job';
export const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata?.name ?? 'without a name'}`;
export const podOf = (workload: Workload): Partial<IPodSpec> => workload.spec?.template?.spec ?? {};
export const containersOf = (workload: Workload): readonly IContainer[] => podOf(workload).containers ?? [];
export const podLabelsOf = (workload: Workload): Record<string, string> =>
  workload.spec?.template?.metadata?.labels ?? {};
/** The folder of apps/ that an image is made of, `undefined` for somebody else's image. */
export function appOf(image: string | undefined): string | undefined {
  const app = /(?:^|\/)waymark\/([a-z-]+):/.exec(image ?? '')?.[1];
  return app !== undefined && existsSync(join(workspaceRoot(), 'apps', app)) ? app : undefined;
}
