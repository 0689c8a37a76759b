/**
 * A process that kills itself at a named step, so that every death of the crash table happens for real. The name is
 * `before:<step>`, `after:<step>` or `mid:<step>`, with `@n` for the n-th time. Off outside test builds.
 */
export type Failpoint = (name: string) => void;

export function failpointOf(spec: string | undefined, nodeEnv: string | undefined): Failpoint {
  if (spec === undefined || nodeEnv !== 'test') return () => undefined;
  const [name, times = '1'] = spec.split('@');
  let left = Number(times);
  return (here) => {
    if (here !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
