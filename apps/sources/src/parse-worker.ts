/**
 * The process that parses. It knows no database, no broker and no secret, and may be killed at any moment: it takes one
 * order at a time (see messages.ts) and ends with the service that started it.
 */
import type { ParseNews, ParseOrder } from './adapters/parse-process/messages.js';
import { parserOf, parseWith } from './adapters/parsers/parse-document.js';
import { documentText, passagesOf, type IndexedPassage } from './core/document-text.js';
import { mebibytes, unreadable } from './core/unreadable.js';

const PIECE_BYTES = 256 * 1024;
const PASSAGES_A_MESSAGE = 100;

/** What has come on standard input and belongs to no order yet. */
const pending: Buffer[] = [];
const arrivals = process.stdin.on('data', (chunk: Buffer) => pending.push(chunk));

/** Orders come one at a time: the service waits for the last answer. */
process.on('message', (order: ParseOrder) => void serve(order));
process.on('disconnect', () => process.exit(0));

async function serve(order: ParseOrder): Promise<void> {
  const parser = await parserOf(order.kind);
  const bytes = await take(order.bytes);
  await send({ type: 'begun' });
  const result = await parseWith(parser, bytes);
  if (!result.ok) return await send({ type: 'failed', unreadable: result.unreadable });
  const document = documentText(order.name, result.parsed);
  if (document.text.length > order.maxTextBytes) {
    const message = `The text has ${mebibytes(document.text.length)}; at most ${mebibytes(order.maxTextBytes)} are kept.`;
    return await send({ type: 'failed', unreadable: unreadable('too_large', message) });
  }
  for (let at = 0; at < document.text.length; at += PIECE_BYTES) {
    await send({ type: 'text', piece: document.text.subarray(at, at + PIECE_BYTES) });
  }
  let batch: IndexedPassage[] = [];
  for (const passage of passagesOf(order.name, document)) {
    batch.push(passage);
    if (batch.length < PASSAGES_A_MESSAGE) continue;
    await send({ type: 'passages', passages: batch });
    batch = [];
  }
  await send({ type: 'passages', passages: batch });
  const { title, pages, marks } = document;
  await send({ type: 'done', title, pages, ...marks });
}

async function take(bytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for (let missing = bytes; missing > 0;) {
    const chunk = pending.shift();
    if (chunk === undefined) {
      await new Promise((resolve) => arrivals.once('data', resolve));
      continue;
    }
    chunks.push(chunk.subarray(0, missing));
    if (chunk.length > missing) pending.unshift(chunk.subarray(missing));
    missing -= chunk.length;
  }
  return Buffer.concat(chunks);
}

/** Resolves when the channel has taken it, so that no more than one piece waits in memory. */
async function send(news: ParseNews): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.send?.(news, undefined, {}, (error) => (error === null ? resolve() : reject(error)));
  });
}
