/** What every command has: a screen for its output, and a client for as long as it runs. */
import { WaymarkClient } from '@waymark/client';
import type { Command } from 'commander';
import { readConnection, type ConnectionFlags } from '../config.js';
import { Screen } from '../terminal/screen.js';

/** Exit codes, also in the README. */
export const EXIT = { ok: 0, failed: 1, usage: 2, unchecked: 3, runNotGood: 4, interrupted: 130 } as const;

export class Session {
  readonly screen = new Screen(process.stdout);
  private readonly leaving = new AbortController();
  private following = false;

  constructor(private readonly program: Command) {}

  /** Aborted at Ctrl-C. Who has it leaves in order; other commands end at once. */
  get signal(): AbortSignal {
    this.following = true;
    return this.leaving.signal;
  }

  leave(): void {
    if (!this.following) process.exit(EXIT.interrupted);
    this.leaving.abort();
  }

  print(...lines: readonly string[]): void {
    this.screen.lines(lines);
  }

  printJson(value: unknown): void {
    this.screen.line(JSON.stringify(value, null, 2));
  }

  exit(code: number): void {
    process.exitCode = code;
  }

  async withClient<T>(use: (client: WaymarkClient) => Promise<T>): Promise<T> {
    const connection = readConnection(this.program.opts<ConnectionFlags>());
    const client = await WaymarkClient.connect({ ...connection, name: 'waymark-cli' });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }
}
