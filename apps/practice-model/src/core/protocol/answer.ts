/** What a model says: text, tool calls, and how it ended. Encoding it for the wire is `encode-answer.ts`. */
export interface Answer {
  text: string;
  calls: ToolCall[];
  finish: 'stop' | 'tool_calls' | 'length' | 'content_filter';
}

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text, as the wire carries it. */
  arguments: string;
}

/** The purposes that Waymark writes into the first line of the system text. */
export type Purpose = 'explore' | 'finish' | 'summarize' | 'review';

export const say = (text: string): Answer => ({ text, calls: [], finish: 'stop' });

export const ask = (text: string, calls: ToolCall[]): Answer => ({ text, calls, finish: 'tool_calls' });
