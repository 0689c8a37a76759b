/**
 * Plays the examples of docs/messages.md against a running system, with the bare NATS client alone: every request that
 * the page shows is sent, and every error that it shows is provoked.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Objm } from '@nats-io/obj';

/**
 * @typedef {{ subject: string, request: object, reply: any }} Answered
 * @typedef {{ subject: string, request: object, error: { code: string, message: string, remedy: string, field?: string } }} Refused
 * @typedef {{ answers: Answered[], errors: Refused[] }} Examples
 * @typedef {import('@nats-io/transport-node').NatsConnection} Connection
 */

const CALL_MS = 20_000;
const WAIT_MS = 120_000;
const NOBODY = '01890000-0000-7000-8000-000000000000';
const CORPUS = 'harbour';

/** Two invented documents and one that is none. */
const DOCUMENTS = {
  'fees.csv':
    'Fund,Year,Ongoing charge\nHarbour Global Index Fund,2023,0.24 %\nHarbour Global Index Fund,2024,0.21 %\nQuay World Equity Fund,2024,0.35 %\n',
  'annual-report-2024.md':
    '# Harbour Global Index Fund: annual report 2024\n\nThis fund is invented.\n\nThe ongoing charge of the Harbour Global Index Fund was 0.21 % in 2024.\nThe tracking difference of the Harbour Global Index Fund was 0.12 % in 2024.\n',
  'scan.pdf': '%PDF-1.7\nthis is no page\n',
};
const QUESTION =
  'What was the ongoing charge of the Harbour Global Index Fund and of the Quay World Equity Fund in 2024?';

/**
 * @param {Connection} nc
 * @param {string} practiceUrl where the practice model is told to stall
 * @returns {Promise<Examples>}
 */
export async function playExamples(nc, practiceUrl) {
  /** @type {Examples} */
  const played = { answers: [], errors: [] };
  const call = caller(nc);

  /** @param {string} subject @param {object} request @returns {Promise<any>} */
  const shows = async (subject, request) => {
    const { error, body } = await call(subject, request);
    if (error) throw new Error(`${subject} ${JSON.stringify(request)}: ${JSON.stringify(body)}`);
    played.answers.push({ subject, request, reply: body });
    return body;
  };
  /** @param {string} subject @param {object} request @param {string} code */
  const refuses = async (subject, request, code) => {
    const { error, body } = await call(subject, request);
    if (error !== code) throw new Error(`${subject}: expected ${code}, got ${error} ${JSON.stringify(body)}`);
    played.errors.push({ subject, request, error: body });
  };
  /** @param {string} subject @param {object} request @param {(body: any) => unknown} holds */
  const until = async (subject, request, holds) => {
    const end = performance.now() + WAIT_MS;
    for (;;) {
      const { body } = await call(subject, request);
      if (holds(body)) return body;
      if (performance.now() > end) throw new Error(`${subject} still says ${JSON.stringify(body).slice(0, 500)}`);
      await pause(50);
    }
  };

  // Documents
  const bucket = await new Objm(nc).open('waymark-uploads');
  /** @param {string} text */
  const digestOf = (text) => createHash('sha256').update(text).digest('hex');
  const add = 'waymark.sources.v1.add-document';
  for (const [name, text] of Object.entries(DOCUMENTS)) {
    const bytes = new TextEncoder().encode(text);
    await bucket.putBlob({ name: `upload/${name}` }, bytes);
    const object = { name: `upload/${name}`, size: bytes.length, digest: digestOf(text) };
    const request = { corpus: CORPUS, name, object };
    if (name === 'fees.csv') await shows(add, request);
    else await call(add, request);
  }
  const gone = { name: 'upload/gone.md', size: 5, digest: digestOf('gone\n') };
  await refuses(add, { corpus: CORPUS, name: '../gone.md', object: gone }, 'bad_name');
  await refuses(add, { corpus: CORPUS, name: 'gone.md', object: gone }, 'unknown_object');
  await bucket.putBlob({ name: 'upload/other.md' }, new TextEncoder().encode('other\n'));
  const other = { name: 'upload/other.md', size: 6, digest: digestOf('gone\n') };
  await refuses(add, { corpus: CORPUS, name: 'other.md', object: other }, 'object_mismatch');

  const describe = 'waymark.sources.v1.describe-corpus';
  await until(describe, { corpus: CORPUS }, ({ pending }) => pending === 0);
  await shows(describe, { corpus: CORPUS });
  await refuses(describe, { corpus: 'harbor' }, 'unknown_corpus');
  const list = 'waymark.sources.v1.list-documents';
  const { documents } = await shows(list, { corpus: CORPUS });
  await refuses(list, { corpus: 'harbor' }, 'unknown_corpus');
  await refuses(list, { corpus: CORPUS, after: 'doc:none' }, 'unknown_locator');
  /** @param {string} name */
  const locatorOf = (name) => documents.find((/** @type {any} */ d) => d.name === name).locator;
  await shows('waymark.sources.v1.search', { corpus: CORPUS, query: 'tracking difference', limit: 1 });
  await refuses('waymark.sources.v1.search', { corpus: 'harbor', query: 'charge' }, 'unknown_corpus');
  const read = 'waymark.sources.v1.read-range';
  const locator = locatorOf('annual-report-2024.md');
  await shows(read, { corpus: CORPUS, locator, start: 73, end: 144 });
  await refuses(read, { corpus: CORPUS, locator: 'doc:none', start: 0 }, 'unknown_locator');
  await refuses(read, { corpus: CORPUS, locator: locatorOf('scan.pdf'), start: 0 }, 'unreadable');
  await refuses(read, { corpus: CORPUS, locator, start: 9_000 }, 'range_outside');
  await refuses(read, { corpus: CORPUS, locator, start: 20, end: 20 }, 'empty_range');

  // A run to its end
  const start = 'waymark.runtime.v1.start';
  const order = { key: 'charges-2024', question: QUESTION, corpus: CORPUS };
  const { run } = await shows(start, { ...order, overrides: { exploreRequests: 20, review: false } });
  const wrong = { ...order, question: 'Which fund is the cheapest?' };
  await refuses(start, { ...wrong, corpus: undefined }, 'missing_field');
  await refuses(start, { ...wrong, deadline: 60 }, 'unknown_field');
  await refuses(start, { ...wrong, question: 7 }, 'invalid_field');
  await refuses(start, { ...wrong, question: ' ' }, 'empty_question');
  await refuses(start, { ...wrong, policy: 'lavish' }, 'unknown_policy');
  await refuses(start, { ...wrong, overrides: { wallMs: 30_000 } }, 'limit_too_short');
  await refuses(start, { ...wrong, overrides: { finishReserve: 1 } }, 'reserve_too_small');
  await refuses(start, { ...wrong, overrides: { physicalRequests: 4 } }, 'physical_too_small');
  await refuses(start, { ...wrong, overrides: { hardLimitBytes: 4_096 } }, 'hard_limit_too_small');
  await refuses(start, { ...wrong, overrides: { hardLimitBytes: 11_000 } }, 'question_too_large');
  await refuses(start, { ...wrong, key: 'charges-2025', corpus: 'harbor' }, 'unknown_corpus');
  await refuses(start, wrong, 'key_reused');
  const get = 'waymark.runtime.v1.get';
  await until(get, { run }, (body) => body.run.state === 'ended');
  await shows(get, { run });
  await refuses(get, { run: NOBODY }, 'unknown_run');
  await shows('waymark.runtime.v1.list', { limit: 1, state: 'ended' });

  // What it found
  const report = 'waymark.publication.v1.report';
  const { report: found } = await shows(report, { run, viewer: 'ada' });
  await shows(report, { run, format: 'markdown' });
  await shows('waymark.publication.v1.snapshot', { run });
  const history = 'waymark.publication.v1.block-history';
  await shows(history, { run, block: found.blocks[0].block });
  await refuses(history, { run, block: 'summary' }, 'unknown_block');
  await shows('waymark.publication.v1.shown', { run });
  await shows('waymark.budget.v1.snapshot', { run });

  // Why it is where it is, and the proof
  const explain = 'waymark.runtime.v1.explain';
  await shows(explain, { run, request: 1 });
  await refuses(explain, { run, request: 900 }, 'unknown_request');
  const { rows } = await shows('waymark.runtime.v1.read-record', { run, limit: 1 });
  const { question } = JSON.parse(Buffer.from(rows[0].body, 'base64').toString('utf8'));
  const body = 'waymark.runtime.v1.read-body';
  await shows(body, { run, digest: question.digest });
  await refuses(body, { run, digest: digestOf('nothing') }, 'unknown_body');

  // Events from the owners' tables
  const { seq } = (await call(get, { run })).body.run;
  await shows('waymark.runtime.v1.list-events', { run, after: seq - 1 });
  await shows('waymark.publication.v1.list-events', { run, after: 1, limit: 1 });
  await shows('waymark.budget.v1.list-events', { run, limit: 1 });

  // A run that is reviewed once its first block stands, and stopped while its model is silent
  await control(practiceUrl, 'POST', {
    rules: [
      { match: { purpose: 'explore', nth: 6 }, fault: 'always_tools' },
      { match: { purpose: 'explore', nth: 7 }, fault: 'stall' },
    ],
  });
  const overrides = { reviewEveryExploreRequests: 2, firstContentMs: 600_000 };
  const { run: second } = (await call(start, { ...order, key: 'reviewed', overrides })).body;
  const events = 'waymark.reviewer.v1.list-events';
  /** @param {any} event */
  const isVerdict = ({ type }) => type.endsWith('.VerdictGiven');
  const told = await until(events, { run: second }, (page) => page.events?.some(isVerdict));
  const { review } = told.events.find(isVerdict).data;
  const getReview = 'waymark.reviewer.v1.get';
  await shows(getReview, { run: second, review });
  await refuses(getReview, { run: second, review: 'r-900' }, 'unknown_review');
  await shows(events, { run: second, limit: 1 });
  await until(get, { run: second }, (page) => page.run.requests >= 7);
  await shows('waymark.runtime.v1.cancel', { run: second, reason: 'the figures are known by now' });
  await control(practiceUrl, 'DELETE');
  await until(get, { run: second }, (page) => page.run.state === 'ended');
  return played;
}

/** @param {Connection} nc */
function caller(nc) {
  /** @param {string} subject @param {object} request @returns {Promise<{ error: string, body: any }>} */
  return async (subject, request) => {
    const reply = await nc.request(subject, JSON.stringify(request), { timeout: CALL_MS });
    return { error: reply.headers?.get('Nats-Service-Error') ?? '', body: JSON.parse(reply.string()) };
  };
}

/** @param {string} practiceUrl @param {'POST' | 'DELETE'} method @param {object} [plan] */
async function control(practiceUrl, method, plan) {
  const response = await fetch(`${practiceUrl}/control/faults`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(plan && { body: JSON.stringify(plan) }),
  });
  if (!response.ok) throw new Error(`practice model: ${await response.text()}`);
  await response.arrayBuffer();
}

/**
 * An example as it is compared: what differs from run to run (ids, digests, times, numbers, stored bytes) is only looked at
 * by its kind.
 * @param {unknown} value @param {string} [key] @returns {unknown}
 */
export function blurred(value, key = '') {
  if (typeof value === 'number') return 'number';
  if (key === 'body' || key === 'owner') return typeof value;
  if (typeof value === 'string') {
    return value
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/[0-9a-f]{64}/g, '<digest>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
  }
  if (Array.isArray(value)) return value.map((entry) => blurred(entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, blurred(entry, name)]));
}
