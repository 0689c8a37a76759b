/**
 * The ledger's state is a cache of its facts. A release that shapes it otherwise raises the format number; what it finds
 * in another format it rebuilds from the facts.
 */
import { Buffer } from 'node:buffer';
import type { Ledger } from '../../core/ledger.js';

const FORMAT = 1;

export function encodeLedger(ledger: Ledger): Buffer {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...ledger }));
}

/** Null when it was written in another format. */
export function decodeLedger(state: Buffer): Ledger | null {
  const { format, ...ledger } = JSON.parse(state.toString('utf8')) as Ledger & { format: number };
  return format === FORMAT ? ledger : null;
}
