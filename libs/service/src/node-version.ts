/** The major version of Node that the services are built for and tested on; older ones lack what they call. */
export const LEAST_NODE = 24;

/** What is wrong with a Node of this version (`process.versions.node`), with the remedy; `undefined` when it will do. */
export function nodeProblem(version: string): string | undefined {
  if (Number.parseInt(version, 10) >= LEAST_NODE) return undefined;
  const remedy = 'start it by node_modules/.bin/node from the repository root';
  return `Node ${version}: too old, the services need Node ${LEAST_NODE} or newer; ${remedy}`;
}
