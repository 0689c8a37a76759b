import { z } from 'zod';
import { CODES, WIRE_CODES } from '../wire/index.js';
import { ALL_CONTRACTS, CATALOG, PUBLIC_CONTRACTS } from './index.js';

describe('the catalog of contracts', () => {
  it('has each subject once, under its owner and version', () => {
    expect(new Set(ALL_CONTRACTS.map(({ subject }) => subject)).size).toBe(ALL_CONTRACTS.length);
    for (const [owner, contracts] of Object.entries(CATALOG)) {
      for (const { subject } of Object.values(contracts)) {
        expect(subject).toMatch(new RegExp(`^waymark\\.${owner}\\.v1\\.[a-z]+(-[a-z]+)*$`));
      }
    }
  });

  it('L2: what could act for a run is internal: an external user reaches what reads, starts, stops and brings documents', () => {
    expect(PUBLIC_CONTRACTS.map(({ subject }) => subject.replace(/^waymark\.|v1\./g, ''))).toEqual([
      'runtime.start',
      'runtime.get',
      'runtime.list',
      'runtime.cancel',
      'runtime.explain',
      'runtime.read-record',
      'runtime.read-body',
      'runtime.list-events',
      'publication.snapshot',
      'publication.report',
      'publication.block-history',
      'publication.shown',
      'publication.list-events',
      'sources.add-document',
      'sources.describe-corpus',
      'sources.list-documents',
      'sources.search',
      'sources.read-range',
      'budget.snapshot',
      'budget.list-events',
      'reviewer.get',
      'reviewer.list-events',
    ]);
  });

  it.each(PUBLIC_CONTRACTS)('$subject says what it does in a sentence, and its codes are its own', ({ about }) => {
    expect(about.summary).toMatch(/^[A-Z].+[.)]$/s);
    const own = about.codes ?? [];
    expect(new Set(own).size).toBe(own.length);
    expect(own.filter((code) => (WIRE_CODES as readonly string[]).includes(code))).toEqual([]);
  });

  it('every code is some subject’s, or anybody’s', () => {
    const told = new Set<string>([...WIRE_CODES, ...ALL_CONTRACTS.flatMap(({ about }) => about.codes ?? [])]);
    expect([...told].sort()).toEqual(Object.keys(CODES).sort());
  });

  it.each(ALL_CONTRACTS)('$subject has shapes that JSON Schema can say', ({ request, reply }) => {
    expect(z.toJSONSchema(request, { io: 'input' })).toMatchObject({ type: 'object' });
    expect(z.toJSONSchema(reply, { io: 'output' })).toMatchObject({ type: 'object' });
  });
});
