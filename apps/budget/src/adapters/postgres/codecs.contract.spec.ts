/** Rows of released formats that today's code must still read. Add files; never change one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fold } from '../../core/evolve.js';
import type { Ledger, SettledReservation } from '../../core/ledger.js';
import { decodeFacts, encodeFacts } from './fact-codec.js';
import { decodeLedger } from './ledger-codec.js';
import { fromRow, toRow, type ReservationRow } from './reservation-codec.js';
import type { BudgetFact } from '@waymark/contracts/budget';
import { BUDGET_FACTS } from '@waymark/contracts/facts';

interface Corpus {
  run: string;
  rows: { seq: number; body: string; facts: BudgetFact[] }[];
  reservations: { row: ReservationRow; read: SettledReservation }[];
  ledger: string;
}
const corpus = JSON.parse(readFileSync(join(import.meta.dirname, '../../../test/corpus/v1.json'), 'utf8')) as Corpus;

it('L3: every released row of facts reads as the facts that it was written from, and is written so again', () => {
  const kinds = new Set<string>();
  for (const { seq, body, facts } of corpus.rows) {
    const read = decodeFacts(Buffer.from(body), seq);
    expect(read.facts).toEqual(facts);
    expect(encodeFacts(read.at, read.first, read.facts).toString()).toBe(body);
    facts.forEach(({ type }) => kinds.add(type));
  }
  const all: Record<BudgetFact['type'], true> = {
    BudgetOpened: true,
    HolderTakenOver: true,
    ReservationGranted: true,
    RequestSettled: true,
    SettlementProved: true,
    ActivityClosed: true,
    LimitNeared: true,
    LimitReached: true,
    BudgetClosed: true,
  };
  expect([...kinds].sort()).toEqual(Object.keys(all).sort());
});

it('L14: the contracts tell others every field of the released facts', () => {
  for (const { type, ...data } of corpus.rows.flatMap((row) => row.facts)) {
    expect(BUDGET_FACTS[type].data.parse(data)).toEqual(data);
  }
});

it('L3: the released state is the fold of the released facts', () => {
  const facts = corpus.rows.flatMap((row) => row.facts);
  const ledger: Ledger | null = decodeLedger(Buffer.from(corpus.ledger));
  expect(ledger).toEqual(fold(corpus.run, facts));
});

it('B3: released reservations read as they were', () => {
  for (const { row, read } of corpus.reservations) {
    expect(fromRow(row)).toEqual(read);
    expect(toRow(read)).toEqual(row);
  }
});

it('a format of a later release is refused by name, and a state in it is rebuilt', () => {
  expect(() => decodeFacts(Buffer.from('[2,0]'), 1)).toThrow('format 2');
  expect(decodeLedger(Buffer.from('{"format":2}'))).toBeNull();
});
