/** Why a document has no text. Codes never change meaning; the words are for people. */
export type UnreadableCode =
  | 'damaged'
  | 'encrypted'
  | 'empty'
  | 'too_large'
  | 'timed_out'
  | 'out_of_memory'
  | 'unsupported_kind'
  | 'no_text'
  | 'interrupted';

export interface Unreadable {
  readonly code: UnreadableCode;
  readonly message: string;
}

export const unreadable = (code: UnreadableCode, message: string): Unreadable => ({ code, message });

export const mebibytes = (bytes: number): string => `${(bytes / (1024 * 1024)).toFixed(1)} MiB`;
