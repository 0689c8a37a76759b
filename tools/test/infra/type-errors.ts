import { join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';
import ts from 'typescript';

/** Where kubernetes-models keeps the types of an `apiVersion`. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking.k8s.io/v1',
};

export interface Typed {
  readonly what: string;
  /** Only a part of the object: what is there must be right, nothing must be there. */
  readonly patch?: boolean;
  readonly manifest: unknown;
}

/**
 * Writes each object as a TypeScript literal of its kind, typed by kubernetes-models, and lets the compiler look: a field
 * that there is not, a value of another type or a missing one is a line here.
 */
export function typeErrors(objects: readonly Typed[]): string[] {
  const root = workspaceRoot();
  const sources = new Map(
    objects.map((one, index) => [join(root, 'tools', `manifest-${index}.ts`), { ...one, text: literal(one) }]),
  );
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path)?.text ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const text = sources.get(path)?.text;
    return text === undefined ? getSourceFile(path, ...rest) : ts.createSourceFile(path, text, rest[0]);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const what = file === undefined ? 'the compiler' : (sources.get(file.fileName)?.what ?? file.fileName);
    return `${what}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

function literal({ what, patch, manifest }: Typed): string {
  const { apiVersion = '', kind = '' } = manifest as { apiVersion?: string; kind?: string };
  const module = MODULES[apiVersion];
  if (module === undefined) throw new Error(`${what}: no types for apiVersion "${apiVersion}"`);
  return [
    `import type { I${kind} } from 'kubernetes-models/${module}';`,
    'type Part<T> = T extends (infer E)[] ? Part<E>[] : T extends object ? { [K in keyof T]?: Part<T[K]> } : T;',
    `export const manifest: ${patch === true ? `Part<I${kind}>` : `I${kind}`} = ${JSON.stringify(manifest, null, 2)};`,
  ].join('\n');
}
