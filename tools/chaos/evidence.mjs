/** What is kept of a run of the suite: plan and summary always, everything else when something was found. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, toolEnvironment } from '../setup.mjs';

const CLI = join(root, 'apps/cli/dist/main.js');

export class Evidence {
  /** @param {string} folder of this seed; what an earlier one left there goes */
  constructor(folder) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.from = performance.now();
  }

  /** Prints and keeps a line, with the seconds since the beginning. @param {string} line */
  say = (line) => {
    const text = `${((performance.now() - this.from) / 1000).toFixed(1).padStart(6)} s  ${line}`;
    console.log(text);
    appendFileSync(join(this.folder, 'timeline.txt'), `${text}\n`);
  };

  /** @param {string} name @param {unknown} value */
  keep(name, value) {
    writeFileSync(join(this.folder, name), `${JSON.stringify(value, null, 2)}\n`);
  }

  /** What every process said, one file a life. @param {ReadonlyMap<string, import('./replica.mjs').Replica>} replicas */
  keepLogs(replicas) {
    mkdirSync(join(this.folder, 'logs'), { recursive: true });
    for (const { name, incarnations } of replicas.values()) {
      for (const [i, { process }] of incarnations.entries())
        writeFileSync(join(this.folder, 'logs', `${name}.${i + 1}.log`), process.output());
    }
  }

  /** Records as `waymark verify` reads them. @param {readonly string[]} runs @param {string} natsUrl */
  async keepRecords(runs, natsUrl) {
    mkdirSync(join(this.folder, 'records'), { recursive: true });
    for (const run of runs) {
      const args = [CLI, 'record', run, '--out', join(this.folder, 'records', `${run}.jsonl`)];
      const env = { ...toolEnvironment(), WAYMARK_NATS_URL: natsUrl };
      const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
      await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
    }
  }

  /** Nothing was found: what would have proven it is not needed. */
  tidy() {
    rmSync(join(this.folder, 'provider-log.jsonl'), { force: true });
  }
}
