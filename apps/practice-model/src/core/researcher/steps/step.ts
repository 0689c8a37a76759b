import type { NoteRecord } from '../notes/notes-line.js';
import { wordsOf } from '../report/words.js';
import type { Scope } from '../question.js';
import type { PendingBlock } from './pending-blocks.js';

/** What one answer says and calls. */
export interface Step {
  say: string;
  calls: Call[];
  notes: NoteRecord[];
  /** The text is the closing text; nothing is called. */
  closing?: true;
}

export interface Call {
  name: string;
  args: object;
}

export function writeCall(write: PendingBlock, tools: ReadonlySet<string>, { language }: Scope): Call {
  const { block, title, text, citations, expectVersion } = write;
  if (expectVersion > 0 && tools.has('correct_block')) {
    const { reason } = wordsOf(language);
    return { name: 'correct_block', args: { block, expect_version: expectVersion, title, text, citations, reason } };
  }
  return { name: 'write_block', args: { block, title, text, citations } };
}
