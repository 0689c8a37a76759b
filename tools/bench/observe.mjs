/**
 * Loaded into a process before its program (`node --import`), because some things only the process itself can see.
 * SIGUSR2 makes it write what it saw since the last one to `$WAYMARK_BENCH_FOLDER/<pid>-<n>.json`:
 * `{ delayMaxMs, arrivals }`, the longest event-loop delay (null unless WAYMARK_BENCH_DELAY is set: a timer each
 * millisecond takes 3 % of a core in every process) and [request id, epoch ms] of each model request as its headers came in.
 */
import { subscribe } from 'node:diagnostics_channel';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const folder = process.env['WAYMARK_BENCH_FOLDER'];
if (folder !== undefined && isMainThread) observe(folder);

/** @param {string} folder */
function observe(folder) {
  const delay = process.env['WAYMARK_BENCH_DELAY'] === '1' ? monitorEventLoopDelay({ resolution: 1 }) : undefined;
  delay?.enable();
  /** @type {[string, number][]} */
  let arrivals = [];
  subscribe('http.server.request.start', (message) => {
    const { request } = /** @type {{ request: import('node:http').IncomingMessage }} */ (message);
    const id = request.headers['x-waymark-request'];
    if (typeof id === 'string') arrivals.push([id, performance.timeOrigin + performance.now()]);
  });
  let n = 0;
  process.on('SIGUSR2', () => {
    const seen = { delayMaxMs: delay === undefined ? null : delay.max / 1e6, arrivals };
    const path = join(folder, `${process.pid}-${(n += 1)}.json`);
    writeFileSync(`${path}.part`, JSON.stringify(seen));
    renameSync(`${path}.part`, path); // whoever sees the name sees all of it
    arrivals = [];
    delay?.reset();
  });
}
