import { say, type Answer } from '../protocol/answer.js';
import type { ChatRequest } from '../protocol/chat-request.js';

export function answerResearch(request: ChatRequest): Answer {
  return say(`(${request.messages.length} messages read.)`);
}
