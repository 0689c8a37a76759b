import type { Log } from '@waymark/messaging';

/** A log that remembers its messages. */
export function memoryLog(): Log & { messages: string[] } {
  const messages: string[] = [];
  const write = (_: object, message: string): void => void messages.push(message);
  return { messages, debug: write, info: write, warn: write, error: write };
}
