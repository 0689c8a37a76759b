import type { Answer } from './answer.js';

/** Four bytes (of the request) or characters (of the answer) are called a token: a rule of the practice model only. */
export function usageOf(answer: Answer, requestBytes: number): { input: number; output: number } {
  const written = answer.text.length + answer.calls.reduce((n, c) => n + c.name.length + c.arguments.length, 0);
  return { input: Math.ceil(requestBytes / 4), output: Math.ceil(written / 4) };
}
