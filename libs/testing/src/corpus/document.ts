import type { Language } from './world.js';

export type Kind = 'pdf' | 'html' | 'md' | 'csv' | 'txt';

/** A document before it is written in its format. */
export interface Draft {
  name: string;
  kind: Kind;
  language: Language;
  title: string;
  parts: Part[];
}

export type Part =
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'pairs'; pairs: [label: string, value: string][] }
  | { kind: 'table'; caption?: string; header: string[]; rows: string[][] };

export interface CorpusFile {
  /** A file name with its ending. */
  name: string;
  kind: Kind;
  bytes: Uint8Array;
  /** The document's text as a plain extractor would give it; null for a damaged file. */
  text: string | null;
}

export const DISCLAIMER: Record<Language, string> = {
  en: 'Everything in this document is invented for practice. No such fund exists.',
  zh: '本文件内容纯属虚构，仅供练习，并无此类基金。',
};
