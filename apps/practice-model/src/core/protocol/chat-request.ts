/** A chat request after `validateRequest` found it sound: only what the practice models look at. */
export interface ChatRequest {
  model: string;
  messages: Message[];
  tools: string[];
  /** `max_completion_tokens` or `max_tokens`. */
  maxTokens: number | undefined;
}

export type Message =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; calls: RequestedCall[] }
  | { role: 'tool'; content: string; callId: string };

export interface RequestedCall {
  id: string;
  name: string;
  arguments: string;
}
