import type { Answer } from '../protocol/answer.js';
import type { Fault } from './fault-rule.js';

/** Answers that are well formed and wrong; other faults leave the answer as it is. `n` makes call ids unique. */
export function spoilAnswer(answer: Answer, fault: Fault, n: number): Answer {
  switch (fault.fault) {
    case 'empty':
      return { text: '', calls: [], finish: 'stop' };
    case 'length':
      return { text: answer.text.slice(0, Math.floor(answer.text.length / 2)), calls: [], finish: 'length' };
    case 'filtered':
      return { text: answer.text.slice(0, Math.floor(answer.text.length / 2)), calls: [], finish: 'content_filter' };
    case 'always_tools':
      return asking(n, 'search', JSON.stringify({ query: `more about point ${n}` }));
    case 'bad_tool_json':
      return asking(n, 'read_range', '{"locator": "doc:');
    case 'unknown_tool':
      return asking(n, 'open_portal', '{"to":"elsewhere"}');
    case 'status':
    case 'stall':
    case 'stall_after':
    case 'pings_only':
    case 'cut':
    case 'garbage':
    case 'slow':
    case 'mid_error':
    case 'latency':
      return answer;
    default:
      return fault satisfies never;
  }
}

const asking = (n: number, name: string, args: string): Answer => ({
  text: 'I need to look further.',
  calls: [{ id: `call_fault_${n}`, name, arguments: args }],
  finish: 'tool_calls',
});
