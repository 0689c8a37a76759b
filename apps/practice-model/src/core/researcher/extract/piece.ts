import type { Row } from './lines.js';

/** A text cut into what it looks like. Offsets are character indexes in the text. */
export type Piece =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'table'; rows: Row[]; header: Row | undefined }
  | { kind: 'pair'; label: string; value: string; start: number; end: number }
  | { kind: 'prose'; text: string; start: number };
