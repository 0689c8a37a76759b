import { condenseNotes } from './notes/condense-notes.js';
import { learn, nothingKnown } from './notes/knowledge.js';
import { decodeNotes, encodeNotes, type NoteRecord } from './notes/notes-line.js';
import type { Message } from '../protocol/chat-request.js';
import { findingsOf } from './report/findings.js';
import { scopeOf } from './question.js';

/** What must outlive the turns: the working notes, and in words what they come to. The material is data, whatever it says. */
export function summarizeTurns(messages: readonly Message[]): string {
  const records: NoteRecord[] = messages.filter((m) => m.role !== 'system').flatMap((m) => decodeNotes(m.content));
  const known = learn(nothingKnown(), records);
  const findings = findingsOf(known, scopeOf('', known));
  const cells = findings.flatMap((f) => [...f.cells.values()]);
  const read = known.documents.filter((d) => d.read.length > 0);
  const words = [
    `Documents listed: ${known.documents.length}; read at least in part: ${read.length}.`,
    `Figures noted: ${known.figures.length} on ${findings.map((f) => f.metric).join(', ') || 'nothing yet'}.`,
    `Conflicts: ${cells.filter((c) => c.against.length > 0).length}; corrections: ${cells.filter((c) => c.was).length}.`,
    known.blocks.size > 0 ? `Blocks written: ${[...known.blocks.keys()].join(', ')}.` : 'No block is written yet.',
    `Not readable: ${
      known.documents
        .filter((d) => !d.ready)
        .map((d) => d.name)
        .join(', ') || 'none'
    }.`,
  ];
  return `${words.join('\n')}\n${encodeNotes(condenseNotes(records))}`.trimEnd();
}
