import { byteLength } from './extract/byte-offsets.js';
import { contextOf, extractFigures } from './extract/extract-figures.js';
import type { Context } from './extract/figure.js';
import { noteReasons } from './note-reasons.js';
import { askedFor, knownNames } from './question.js';
import { openParts, queryOf } from './question-parts.js';
import { quotesIn } from './read-back.js';
import { contextRecord, figureRecord, type Document, type Knowledge } from './notes/knowledge.js';
import type { NoteRecord } from './notes/notes-line.js';
import type { Conversation } from './read-conversation.js';

type Json = Record<string, unknown>;

/** Notes of what the last results say. A result that cannot be used is an attempt, noted so that no loop comes of it. */
export function observeResults({ results, question }: Conversation, known: Knowledge): NoteRecord[] {
  return results.flatMap(({ call, n, content }) => {
    const args = parse(call.arguments) ?? {};
    const line = content.indexOf('\n');
    const whole = parse(content);
    const head = whole ?? parse(line < 0 ? content : content.slice(0, line)) ?? salvage(content);
    const unusable = 'error' in head || head.retired === true;
    switch (call.name) {
      case 'list_sources':
        return unusable ? [] : listing(head, known);
      case 'search':
        return [
          ['s', text(args.query)] as NoteRecord,
          ...(unusable ? [] : hits(head, text(args.query), question, known)),
        ];
      case 'read_range':
        return reading(
          { args, head: unusable ? undefined : head, body: line < 0 ? '' : content.slice(line + 1) },
          `result:${known.turns}.${n}`,
          question,
          known,
        );
      case 'read_back':
        return unusable ? [] : quotesIn(head, line < 0 ? '' : content.slice(line + 1), known);
      case 'calculate':
        return [['k', text(args.expression), unusable ? '' : text(head.value)] as NoteRecord];
      case 'write_block':
      case 'correct_block':
        return written(args, head);
      case 'ask_for_review':
        return [['n', 'review'] as NoteRecord];
      default:
        return [];
    }
  });
}

function listing(head: Json, known: Knowledge): NoteRecord[] {
  const documents = list(head.documents);
  const records: NoteRecord[] = [];
  let index = known.documents.length;
  for (const d of documents) {
    const locator = text(d.locator);
    if (locator === '' || known.documents.some((k) => k.locator === locator)) continue;
    records.push([
      'd',
      String(index++),
      locator,
      text(d.kind),
      text(d.bytes),
      text(d.status),
      text(d.name),
      text(d.title),
    ]);
  }
  if (!Array.isArray(head.documents)) return records;
  const last = text(head.after) || text(documents.at(-1)?.locator);
  return [...records, ['l', head.more === true && last !== '' ? last : '']];
}

function hits(head: Json, query: string, question: string, known: Knowledge): NoteRecord[] {
  // The question itself, or a part of it, as a query looks for passages to quote.
  const wanted = query === question.slice(0, 200) || openParts(question).some((part) => queryOf(part) === query);
  const out: NoteRecord[] = [];
  for (const hit of list(head.hits)) {
    const document = known.documents.find((d) => d.locator === hit.locator);
    if (!document) continue;
    out.push(['h', String(document.index), text(hit.start)]);
    // The excerpt as it is: what of it is quoted is chosen when it is known what the document is on.
    if (wanted && out.length <= 12) {
      out.push(['z', String(document.index), text(hit.start), text(hit.end), text(hit.excerpt).trim()]);
    }
  }
  return out;
}

interface Reading {
  args: Json;
  head: Json | undefined;
  body: string;
}

function reading({ args, head, body }: Reading, locator: string, question: string, known: Knowledge): NoteRecord[] {
  const document = known.documents.find((d) => d.locator === text(head?.locator ?? args.locator));
  if (!document) return [];
  const index = String(document.index);
  const start = Number(head?.start ?? args.start ?? 0);
  if (!head || !(Number(head.end) > start)) return [['a', index, String(Number(args.start ?? 0))]];
  const total = Number(head.total ?? document.bytes);
  const whole = body.replace(PAGED, '');
  const more = Number(head.end) < total || whole !== body;
  const part = more ? whole.slice(0, cutAt(whole, document.kind)) : whole;
  const end = more ? start + byteLength(part) : total;
  if (end <= start) return [['a', index, String(Number(args.start ?? 0))]];
  const before = contextBefore(document, start, knownNames(question, known));
  const { figures, context } = extractFigures(part, start, document.kind, before);
  return [
    ['r', index, String(start), String(end)],
    ['b', index, String(start), String(Number(head.end)), locator],
    ...distinct(askedFor(figures, question).map((figure) => figureRecord(document.index, figure))),
    ...noteReasons(part, start, document.index, question, before),
    ...(more ? [contextRecord(document.index, end, context)] : []),
  ];
}

function contextBefore(document: Document, start: number, known: string[]): Context {
  if (document.context?.at === start) return { ...document.context.context, known };
  return contextOf(document.title, document.name, known);
}

/** Where a part that goes on is cut, so that no paragraph, row or line is read in halves. */
function cutAt(body: string, kind: string): number {
  const paragraph = kind === 'csv' ? -1 : body.lastIndexOf('\n\n');
  const line = body.lastIndexOf('\n');
  if (paragraph > body.length / 2) return paragraph + 2;
  return line > 0 ? line + 1 : body.length;
}

function written(args: Json, head: Json): NoteRecord[] {
  const block = text(args.block);
  const error = head.error as Json | undefined;
  const version = Number(head.version);
  if (error || !Number.isInteger(version) || version < 1) {
    const current = Number((error?.details as Json | undefined)?.version ?? error?.version);
    return [
      ['e', block, text(error?.code) || 'refused'],
      ...(Number.isInteger(current) && current > 0 ? [['w', block, String(current), ''] as NoteRecord] : []),
    ];
  }
  return [['w', block, String(version), digestOf(text(args.text))]];
}

/** A short name for a text, to see whether a block would change (FNV-1a). */
export function digestOf(content: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < content.length; i++) hash = Math.imul(hash ^ content.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(36);
}

function distinct(records: NoteRecord[]): NoteRecord[] {
  const seen = new Set<string>();
  return records.filter((record) => !seen.has(record.join('|')) && seen.add(record.join('|')));
}

/** A result of which only the head stands ends with a line that says so. */
const PAGED = /\n\{"paged":true[^\n]*\}\s*$/u;

/** The whole entries of a list that was cut: the rest is asked for where the last of them ends. */
function salvage(content: string): Json {
  const entries = [...content.matchAll(/\{"locator":"[^"]*",(?:"[^"]*":(?:"(?:[^"\\]|\\.)*"|[^"{}[\],]+),?)*\}/gu)];
  const values = entries.flatMap((m) => parse(m[0]) ?? []);
  if (values.length === 0) return {};
  return content.startsWith('{"documents"') ? { documents: values, more: true } : { hits: values };
}

function parse(json: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
