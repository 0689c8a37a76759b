import type { Answer } from '../protocol/answer.js';
import { answerBench } from './answer-bench.js';

type Message = Record<string, unknown>;

const docs = [
  { locator: 'doc:small', name: 'a.txt', kind: 'txt', bytes: 9_000, status: 'ready' },
  { locator: 'doc:bad', name: 'c.pdf', kind: 'pdf', bytes: 90_000_000, status: 'unreadable', reason: 'broken' },
  { locator: 'doc:big', name: 'b.txt', kind: 'txt', bytes: 2_000_000, status: 'ready' },
];
const head: Message[] = [
  { role: 'system', content: 'Purpose: explore\nYou are a bench.' },
  { role: 'user', content: 'Read on. turns=12' },
];
const body = (messages: Message[]): string =>
  JSON.stringify({
    model: 'practice-bench',
    messages,
    tools: [{ type: 'function', function: { name: 'read_range' } }],
  });

function play(list = docs): { answers: Answer[]; messages: Message[] } {
  const messages = [...head];
  const answers: Answer[] = [];
  for (let i = 0; i < 40; i++) {
    const answer = answerBench(body(messages), 'explore');
    answers.push(answer);
    if (answer.calls.length === 0) break;
    messages.push({
      role: 'assistant',
      content: answer.text,
      tool_calls: answer.calls.map((c) => ({
        id: c.id,
        type: 'function',
        function: { name: c.name, arguments: c.arguments },
      })),
    });
    for (const call of answer.calls) messages.push({ role: 'tool', tool_call_id: call.id, content: run(call, list) });
  }
  return { answers, messages };
}

function run(call: { name: string; arguments: string }, list: typeof docs): string {
  if (call.name === 'list_sources') return JSON.stringify({ documents: list, more: false });
  const { locator, start, end } = JSON.parse(call.arguments) as { locator: string; start: number; end: number };
  const total = list.find((d) => d.locator === locator)?.bytes ?? 0;
  return `${JSON.stringify({ locator, name: 'x', start, end, total, more: end < total })}\n${'x'.repeat(4096)}`;
}

describe('answerBench', () => {
  it('lists once, reads two new ranges of 4 KiB in each of T turns, then answers with 2 KiB', () => {
    const { answers } = play();
    expect(answers).toHaveLength(14);
    expect(answers[0]?.calls).toEqual([{ id: 'call_0_0', name: 'list_sources', arguments: '{}' }]);
    const reads = answers.slice(1, 13).flatMap((a) => a.calls);
    expect(reads.every((c) => c.name === 'read_range')).toBe(true);
    const ranges = reads.map((c) => JSON.parse(c.arguments) as { locator: string; start: number; end: number });
    expect(new Set(reads.map((c) => c.arguments)).size).toBe(24);
    expect(ranges.every((r) => r.end - r.start === 4096)).toBe(true);
    expect(new Set(ranges.map((r) => r.locator))).toEqual(new Set(['doc:big', 'doc:small']));
    expect(
      ranges
        .filter((r) => r.locator === 'doc:small')
        .slice(1)
        .every((r) => r.end <= 9000),
    ).toBe(true);
    expect(answers.slice(0, 13).every((a) => a.text.length === 300)).toBe(true);
    expect(answers[13]).toMatchObject({ finish: 'stop', calls: [] });
    expect(answers[13]?.text).toHaveLength(2048);
  });

  it('reads one document with both calls when there is only one', () => {
    const { answers } = play(docs.slice(2));
    expect(new Set(answers.flatMap((a) => a.calls.map((c) => c.arguments))).size).toBe(25);
  });

  it('goes on from the last turn alone, or from a summary alone', () => {
    const { messages } = play();
    const after5 = messages.findIndex((m) => String(m.content).startsWith('Bench turn 6/'));
    const full = answerBench(body(messages.slice(0, after5)), 'explore');
    expect(answerBench(body([...head, ...messages.slice(after5 - 3, after5)]), 'explore')).toEqual(full);
    const material = { role: 'user', content: JSON.stringify(messages.slice(2, after5)) };
    const summary = answerBench(body([{ role: 'system', content: 'Purpose: summarize' }, material]), 'summarize');
    expect(summary.calls).toEqual([]);
    expect(summary.text).toHaveLength(600);
    const next = answerBench(
      body([...head, { role: 'user', content: `[Summary of turns 1–6]\n${summary.text}` }]),
      'explore',
    );
    expect(next.calls.map((c) => c.id)).toEqual(['call_6_0', 'call_6_1']);
  });

  it('uses no tools in a finishing request and gives a short verdict in a review', () => {
    const { messages } = play();
    expect(answerBench(body(messages.slice(0, 6)), 'finish')).toMatchObject({ finish: 'stop', calls: [] });
    expect(JSON.parse(answerBench(body(head), 'review').text)).toEqual({ verdict: 'ok', points: [] });
  });
});
