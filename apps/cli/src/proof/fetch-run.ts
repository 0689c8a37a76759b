import { WaymarkError, type WaymarkClient } from '@waymark/client';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import type { StoredRow } from '@waymark/record';
import { bodiesNamed, type StoredRun } from './stored-run.js';

/** Bodies on their way at once. */
const AT_ONCE = 8;

/** Reads a run's stored record with all its bodies. A body that is not there is left out: the proof names it. */
export async function fetchRun(client: WaymarkClient, run: string): Promise<StoredRun> {
  const view = await client.get(run);
  const rows: StoredRow[] = [];
  for await (const row of client.readRecord(run)) rows.push(row);
  const bodies = new Map<string, Uint8Array>();
  const wanted = bodiesNamed(rows);
  const work = async (): Promise<void> => {
    for (let digest = wanted.pop(); digest !== undefined; digest = wanted.pop()) {
      const body = await orAbsent(client.readBody(run, digest));
      if (body) bodies.set(digest, body);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { run, state: view.state, head: view.seq, rows, bodies, reviews: await reviewEvents(client, run) };
}

async function orAbsent(asked: Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof WaymarkError && error.code === 'unknown_body') return undefined;
    throw error;
  }
}

async function reviewEvents(client: WaymarkClient, run: string): Promise<WaymarkEvent[] | null> {
  const events: WaymarkEvent[] = [];
  let away = false;
  const feed = client.events(run, { owners: ['reviewer'], follow: false, onWait: () => (away = true) });
  for await (const event of feed) events.push(event);
  return away ? null : events;
}
