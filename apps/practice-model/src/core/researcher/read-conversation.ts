import type { ChatRequest, Message, RequestedCall } from '../protocol/chat-request.js';
import type { Purpose } from '../protocol/answer.js';
import { decodeNotes, type NoteRecord } from './notes/notes-line.js';

/** What a request says, taken apart. */
export interface Conversation {
  purpose: Purpose;
  /** The question and every later word of the user. */
  question: string;
  notes: NoteRecord[];
  /** Calls of the last answer with their results. */
  results: { call: RequestedCall; /** From 0, among the calls of that answer. */ n: number; content: string }[];
  notices: string;
  advice: string | undefined;
  tools: ReadonlySet<string>;
}

export function readConversation({ messages, tools }: ChatRequest): Conversation {
  const system = messages.find((m) => m.role === 'system')?.content ?? '';
  const purpose = /^Purpose: (explore|finish|summarize|review)\b/u.exec(system)?.[1] as Purpose | undefined;
  const users = messages.filter((m) => m.role === 'user').map((m) => m.content);
  const starting = (mark: string): string[] => users.filter((text) => text.startsWith(mark));
  const words = users.filter((text) => !/^\[(?:Summary of turns|Review advice|Notices|Report|Waymark)/u.test(text));
  return {
    purpose: purpose ?? 'explore',
    question: words.join('\n'),
    notes: messages.flatMap((m) => (isOwn(m) ? decodeNotes(m.content) : [])),
    results: lastResults(messages),
    notices: starting('[Notices]').join('\n'),
    advice: starting('[Review advice]').at(-1),
    tools: new Set(tools),
  };
}

/** Notes count where the researcher itself or a summary of its turns wrote them, never in a source. */
const isOwn = (m: Message): boolean =>
  m.role === 'assistant' || (m.role === 'user' && m.content.startsWith('[Summary of turns'));

function lastResults(messages: Message[]): Conversation['results'] {
  const at = messages.findLastIndex((m) => m.role === 'assistant');
  const last = messages[at];
  if (last?.role !== 'assistant') return [];
  return last.calls.flatMap((call, k) => {
    const result = messages.slice(at + 1).find((m) => m.role === 'tool' && m.callId === call.id);
    return result ? [{ call, n: k, content: result.content }] : [];
  });
}
