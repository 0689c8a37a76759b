import { explained, requestNumbers } from '../../test/explained.js';
import { explainPage } from './explain-page.js';
import { explainRequest } from './explain-request.js';
import { settlementOf } from './settlement-of.js';

describe('E1: the page of a run', () => {
  const page = explainPage(explained());
  const line = (start: string): string | undefined => page.find((l) => l.startsWith(start));

  it('says where the run is and why, and until when it waits', () => {
    expect(line('state')).toMatch(/parked, phase exploring$/);
    expect(line('why')).toContain(
      'goes on by itself at 2026-01-01T00:10:00.000Z: the provider asked for a pause [rate_limited]',
    );
    expect(line('question')).toMatch(/What fees\?$/);
    expect(line('so far')).toContain('2 turns, 3 requests; the record has 21 facts');
  });

  it('tells computing from waiting, keeps unknown apart and what was not reported null, never 0', () => {
    expect(line('  computing')).toBe('  computing   4.0 s of models and tools, 500 ms of it charged and unproven');
    expect(line('  waiting')).toContain('16.0 s');
    expect(line('  unknown')).toContain('1 request whose outcome nobody can prove; counted as used');
    expect(line('  usage')).toBe(
      '  usage       tokens in 1234, out not reported, cached not reported; cost not reported',
    );
    expect(line('report')).toContain('not to be had now');
  });

  it('has a line for each request: bytes, reminders by fate, outcome, actions, and the fact it rests on', () => {
    const rows = page.slice(page.findIndex((l) => l.includes('purpose')) + 1).map((l) => l.trim().replace(/ +/g, ' '));
    expect(rows).toEqual([
      '1 explore 1 1 1000 50 - completed - 2',
      '2 explore 2 1 1000 50 1 submitted, 1 omitted, 1 combined completed search ×2, read_range failed 17',
      '3 explore 3 1 1000 50 1 uncertain unknown (cut_stream) search ×2, read_range failed 20',
    ]);
  });
});

describe('E1: everything about one request', () => {
  const at = { run: 'r', at: '', owner: 'budget' };
  const settled = settlementOf(
    null,
    {
      ...at,
      seq: 12,
      type: 'waymark.budget.fact.v1.RequestSettled',
      data: { reservation: 'r-2', outcome: 'unknown', by: 'budget', code: 'owner_died' },
    },
    'r-2',
  );
  const text = explainRequest(requestNumbers(), settled).join('\n');

  it('bytes by part add up to the request, reminders have a word and a reason', () => {
    const parts = [...text.matchAll(/^ {4}(\w+) +(\d+) {2}[#.]+$/gm)].map(([, , bytes]) => Number(bytes));
    expect(parts.reduce((a, b) => a + b, 0)).toBe(1_000);
    expect(text).toContain('submitted: state explore_requests, about run, stage 50; it was submitted');
    expect(text).toContain('"Explore requests: 5 of 10."');
    expect(text).toContain('omitted: state explore_requests');
    expect(text).toContain('combined: state explore_requests');
  });

  it('names reservation, settlement by the budget’s own word, and deadlines with the limit that bound them', () => {
    expect(text).toContain("reservation  r-2, granted at budget's version 8");
    expect(text).toContain("unknown (owner_died) by the budget itself (budget's fact 12)");
    expect(text).toContain(
      'first content 1 min, progress 45.0 s, total 10 min; with its actions 9.0 s left of the active limit',
    );
    expect(text).toMatch(/search +ok +77 bytes +a1/);
    const proof = {
      ...at,
      seq: 13,
      type: 'waymark.budget.fact.v1.SettlementProved',
      data: { reservation: 'r-2', outcome: 'completed' },
    };
    expect(settlementOf(settled, proof, 'r-2')).toMatchObject({ outcome: 'completed', proved: true, by: 'budget' });
    expect(settlementOf(settled, { ...proof, data: { ...proof.data, reservation: 'r-3' } }, 'r-2')).toBe(settled);
    expect(explainRequest(requestNumbers(), null).join('\n')).toContain('settlement   open at the budget');
  });
});
