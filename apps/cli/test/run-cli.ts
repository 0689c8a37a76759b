/** The command line as a person runs it: a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has written to stdout until now. */
  stdout(): string;
}

const MAIN = join(workspaceRoot(), 'apps/cli/dist/main.js');

export function startCli(args: readonly string[], env: Readonly<Record<string, string>>): RunningCli {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  return { child, ended, stdout: () => stdout };
}

export const runCli = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> =>
  await startCli(args, env).ended;
