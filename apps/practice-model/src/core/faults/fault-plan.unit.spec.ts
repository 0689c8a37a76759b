import { planOf, strike } from './fault-plan.js';
import type { FaultRule, FaultSubject } from './fault-rule.js';

const subject = (more: Partial<FaultSubject> = {}): FaultSubject => ({ model: 'm', size: 100, ...more });

function run(rules: FaultRule[], subjects: FaultSubject[]): (string | undefined)[] {
  let plan = planOf(rules);
  return subjects.map((s) => {
    const struck = strike(plan, s);
    plan = struck.plan;
    return struck.rule?.fault;
  });
}

describe('strike', () => {
  it('nth counts only the requests that match the rest', () => {
    const rules: FaultRule[] = [{ match: { purpose: 'summarize', nth: 2 }, fault: 'stall' }];
    const s = subject({ purpose: 'summarize' });
    expect(run(rules, [s, subject(), s, s])).toEqual([undefined, undefined, 'stall', undefined]);
  });

  it('every n-th strikes, and times bounds it', () => {
    const rules: FaultRule[] = [{ match: { every: 2 }, fault: 'empty', times: 2 }];
    expect(
      run(
        rules,
        Array.from({ length: 7 }, () => subject()),
      ),
    ).toEqual([undefined, 'empty', undefined, 'empty', undefined, undefined, undefined]);
  });

  it('the first rule that strikes decides; later rules count the request all the same', () => {
    const rules: FaultRule[] = [
      { match: { idPrefix: 'run-a' }, fault: 'empty', times: 1 },
      { match: { nth: 2 }, fault: 'length' },
    ];
    expect(run(rules, [subject({ id: 'run-a/1' }), subject({ id: 'run-b/1' })])).toEqual(['empty', 'length']);
  });

  it('minBytes lets a small body pass', () => {
    const rules: FaultRule[] = [{ match: { minBytes: 200 }, fault: 'status', status: 413 }];
    expect(run(rules, [subject(), subject({ size: 200 })])).toEqual([undefined, 'status']);
  });
});
