/** Old receipts and calls by action id, also of turns that a summary replaced: found by the turn's place in the record. */
import {
  decodeFact,
  findResult,
  storedAnswer,
  type ActionSettled,
  type RecordFact,
  type StoredAnswer,
} from '@waymark/record';
import type { RunContext } from './run-context.js';

/** Facts after a turn's answer among which its receipts stand: its calls, and a few facts between. */
const NEARBY = 200;
const ACTION = /^(\d{1,7})\.(\d{1,3})$/;

/** The receipt of an action, or null. `locator` is `result:<action>`. */
export async function findReceipt(c: RunContext, locator: string): Promise<ActionSettled | null> {
  const action = locator.startsWith('result:') ? locator.slice('result:'.length) : locator;
  const match = ACTION.exec(action);
  if (!match) return null;
  const open = c.state.transcript.openTurn?.settled[action];
  if (open) return open;
  const standing = findResult(c.state.transcript, action);
  if (standing) return standing.settled;
  const seq = c.state.settledAt[Number(match[1])];
  if (typeof seq !== 'number') return null;
  const rows = await c.platform.records.rows(c.run, seq, NEARBY);
  for (const row of rows) {
    const fact = decodeFact<RecordFact>(row.body);
    if (fact.type === 'ActionSettled' && fact.action === action) return fact;
  }
  return null;
}

/** The call that an action came from, as the model made it. */
export async function findCall(c: RunContext, action: string): Promise<StoredAnswer['calls'][number] | null> {
  const match = ACTION.exec(action);
  const seq = match ? c.state.settledAt[Number(match[1])] : undefined;
  if (!match || typeof seq !== 'number') return null;
  const [row] = await c.platform.records.rows(c.run, seq - 1, 1);
  const fact = row ? decodeFact<RecordFact>(row.body) : null;
  if (fact?.type !== 'RequestSettled' || !fact.answer) return null;
  await c.bodies.load([fact.answer]);
  return storedAnswer(fact.answer, (ref) => c.bodies.get(ref)).calls[Number(match[2])] ?? null;
}
