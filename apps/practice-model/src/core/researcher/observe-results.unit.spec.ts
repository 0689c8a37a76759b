import { learn, nothingKnown, type Knowledge } from './notes/knowledge.js';
import { decodeNotes, encodeNotes } from './notes/notes-line.js';
import { condenseNotes } from './notes/condense-notes.js';
import { observeResults } from './observe-results.js';
import type { Conversation } from './read-conversation.js';

const conversation = (name: string, args: object, content: string): Conversation => ({
  purpose: 'explore',
  question: 'Compare the ongoing charge.',
  notes: [],
  results: [{ n: 0, call: { id: 'c', name, arguments: JSON.stringify(args) }, content }],
  notices: '',
  advice: undefined,
  tools: new Set(),
});

const withDocument = (): Knowledge =>
  learn(nothingKnown(), [['d', '0', 'doc:a', 'md', '200', 'ready', 'a.md', 'Alder Fund']]);
const text = 'Ongoing charge (2023): 0.40 %\n\nOngoing charge (2024): 0.35 %\n';
const head = (end: number): string =>
  JSON.stringify({ locator: 'doc:a', name: 'a.md', start: 0, end, total: 200, more: end < 200, label: '' });

function read(content: string): Knowledge {
  const known = withDocument();
  return learn(
    known,
    observeResults(conversation('read_range', { locator: 'doc:a', start: 0, end: 200 }, content), known),
  );
}

describe('observeResults', () => {
  it('a part that goes on counts as read only as far as its last whole line', () => {
    const known = read(`${head(71)}\n${text}Ongoing ch`);
    expect(known.documents[0]?.read).toEqual([[0, 61]]);
    expect(known.figures.map((f) => f.period)).toEqual(['2023', '2024']);
  });

  it('of a result of which only the head stands, only what stands is read', () => {
    const known = read(
      `${head(200)}\n${text}Ongoing ch\n{"paged":true,"locator":"result:1.1","had":[[0,90]],"bytes":300,"how":"…"}`,
    );
    expect(known.documents[0]?.read).toEqual([[0, 61]]);
    expect(known.figures).toHaveLength(2);
  });

  it('a stub or an error is an attempt, not a reading', () => {
    for (const content of [
      '{"retired":true,"locator":"result:1.1"}',
      '{"error":{"code":"tool_timeout","message":"","remedy":""}}',
      'what?',
    ]) {
      const known = read(content);
      expect(known.documents[0]?.read).toEqual([]);
      expect(known.documents[0]?.attempts.get(0)).toBe(1);
    }
  });

  it('a listing that was cut gives its whole entries and is asked for from there', () => {
    const entry = (n: number): string =>
      `{"locator":"doc:${n}","name":"${n}.md","kind":"md","title":"a \\"b\\" {c}","bytes":9,"status":"ready"}`;
    const cut = `{"documents":[${entry(1)},${entry(2)},{"locator":"doc:3","na\n{"paged":true}`;
    const known = learn(nothingKnown(), observeResults(conversation('list_sources', {}, cut), nothingKnown()));
    expect(known.documents.map((d) => d.locator)).toEqual(['doc:1', 'doc:2']);
    expect(known).toMatchObject({ listed: false, listAfter: 'doc:2' });
  });

  it('a refused write is remembered with its code', () => {
    const refused = '{"error":{"code":"version_mismatch","message":"","remedy":""}}';
    const notes = observeResults(conversation('write_block', { block: 'fees', text: 'x' }, refused), nothingKnown());
    expect(learn(nothingKnown(), notes).refused.get('fees')).toEqual(['version_mismatch']);
  });
});

describe('notes', () => {
  it('survive JSON, any characters, and being condensed', () => {
    const records = [
      ['t'],
      ['d', '0', 'doc:a', 'md', '200', 'ready', 'a|b;[c]%"\\\n.md', '标题'],
      ['r', '0', '0', '50'],
      ['r', '0', '50', '90'],
      ['f', '0', 'Alder', 'yield', '2024', '1', '%', '0', '9', ''],
      ['t'],
    ] as const;
    const line = encodeNotes(records);
    expect(JSON.stringify(line)).toBe(`"${line}"`);
    expect(decodeNotes(JSON.stringify([`text ${line} text`]))).toEqual(records);
    const known = learn(nothingKnown(), condenseNotes(records));
    expect(known).toMatchObject({ turns: 2, documents: [{ name: 'a|b;[c]%"\\\n.md', read: [[0, 90]] }] });
  });
});
