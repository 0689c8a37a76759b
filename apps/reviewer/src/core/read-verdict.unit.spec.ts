import { verdict as verdictShape } from '@waymark/contracts/reviewer';
import { readVerdict } from './read-verdict.js';

const read = (text: string, finish: string | null = 'stop') => readVerdict(text, finish, ['costs', 'speed']);
const point = { block: 'costs', issue: 'No source.', suggestion: 'Cite one.' };

describe('reading a verdict', () => {
  it('takes the asked shape, alone or in one code fence', () => {
    const text = JSON.stringify({ verdict: 'revise', points: [point] });
    const expected = { ok: true, outcome: 'revise', points: [point] };
    expect(read(text)).toEqual(expected);
    expect(read(`\n\`\`\`json\n${text}\n\`\`\`\n`)).toEqual(expected);
    expect(read('{"verdict":"ok"}')).toEqual({ ok: true, outcome: 'ok', points: [] });
  });

  it.each([
    ['', 'stop', 'empty_answer'],
    [' \n', 'stop', 'empty_answer'],
    ['{"verdict":"ok"', 'length', 'answer_cut'],
    ['', 'length', 'answer_cut'],
    ['no', 'content_filter', 'answer_filtered'],
    ['The report is fine.', 'stop', 'unreadable_verdict'],
    ['Here it is: {"verdict":"ok"}', 'stop', 'unreadable_verdict'],
    ['[]', 'stop', 'unreadable_verdict'],
    ['{"verdict":"good"}', 'stop', 'unreadable_verdict'],
    ['{"verdict":"ok","points":{}}', 'stop', 'unreadable_verdict'],
    ['{"verdict":"ok","points":["x"]}', 'stop', 'unreadable_verdict'],
    ['{"verdict":"ok","points":[{"block":null}]}', 'stop', 'unreadable_verdict'],
  ])('%j that ended by %s is %s', (text, finish, code) => {
    expect(read(text, finish)).toEqual({ ok: false, code });
  });

  it('V3: a block that the report does not have becomes null', () => {
    const points = [{ ...point, block: 'elsewhere' }, { issue: 'x' }, { ...point, block: 7 }];
    const verdict = read(JSON.stringify({ verdict: 'revise', points }));
    expect(verdict.ok && verdict.points.map(({ block }) => block)).toEqual([null, null, null]);
  });

  it('F-R7: whatever the model says, the verdict fits its contract and every store', () => {
    const long = `${'漢'.repeat(999)}😀\u0000\ud800\u001b[31m`;
    const points = Array.from({ length: 40 }, () => ({ block: 'speed', issue: long, suggestion: long, extra: 1 }));
    const verdict = read(JSON.stringify({ verdict: 'revise', points, more: true }));
    if (!verdict.ok) throw new Error(verdict.code);
    const whole = { review: 'r', run: '01900000-0000-7000-8000-000000000000', outcome: verdict.outcome, code: null };
    const parsed = verdictShape.parse({ ...whole, points: verdict.points, reportVersion: 1 });
    expect(parsed.points).toHaveLength(20);
    expect(parsed.points[0]?.issue).toBe('漢'.repeat(999));
    expect(JSON.stringify(parsed)).not.toMatch(/\\u0000|\\ud8|\\u001b/i);
  });
});
