/** docs/messages.md: prose from page.md, all else from the contracts. */
import { readFileSync } from 'node:fs';
import { ALL_CONTRACTS, CATALOG, PUBLIC_CONTRACTS } from '@waymark/contracts/catalog';
import { FACTS } from '@waymark/contracts/facts';
import { BUCKETS, FACTS_STREAM } from '@waymark/contracts/streams';
import { CODES, errorBody, event, MAX_BODY_BYTES, WIRE_CODES } from '@waymark/contracts/wire';
import { idOf } from './asyncapi.mjs';
import { rowsOf, Shapes } from './schema.mjs';

/**
 * @typedef {import('./play-examples.mjs').Examples} Examples
 * @typedef {import('@waymark/contracts/wire').Contract} Contract
 */

const DAY_NS = 24 * 3600 * 1e9;
const HOUR_MS = 3600 * 1000;
/** Longer texts of an example are cut on the page; they stand whole in asyncapi.json. */
const MOST_CHARACTERS = 160;
/** Objects with a shape of their own are not repeated in each example. */
const TOLD_ONCE = new Set(['policy', 'limits']);

/** @param {Examples} examples @returns {string} */
export function messagesPage(examples) {
  const shapes = new Shapes();
  shapes.reply(errorBody);
  shapes.reply(event);
  const operations = Object.values(CATALOG)
    .flatMap((contracts) => Object.values(contracts))
    .filter(({ about }) => about.access === 'public')
    .map((contract) => operation(contract, shapes, examples));
  const facts = Object.entries(FACTS).map(([owner, named]) => ownerFacts(owner, named, shapes));
  /** @type {Record<string, string>} */
  const values = {
    maxKiB: String(MAX_BODY_BYTES / 1024),
    uploads: BUCKETS.uploads.name,
    reports: BUCKETS.reports.name,
    hours: String(BUCKETS.reports.ttlMs / HOUR_MS),
    stream: FACTS_STREAM.name,
    days: String(FACTS_STREAM.maxAgeNs / DAY_NS),
    owners: Object.keys(FACTS).join(', '),
    wireCodes: codeTable(WIRE_CODES),
    operations: operations.join('\n\n'),
    facts: facts.join('\n\n'),
    shapes: Object.entries(shapes.named)
      .map(([name, shape]) => `### ${name}\n\n${shape.description ?? ''}\n\n${fieldTable(shape)}`)
      .join('\n\n'),
    internal: ALL_CONTRACTS.filter((contract) => !PUBLIC_CONTRACTS.includes(contract))
      .map(({ subject }) => `\`${idOf(subject)}\``)
      .join(', '),
  };
  const page = readFileSync(new URL('page.md', import.meta.url), 'utf8');
  return page.replace(/\{\{(\w+)\}\}/g, (_, name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`page.md asks for {{${name}}}, which nobody gives`);
    return value;
  });
}

/** @param {Contract} contract @param {Shapes} shapes @param {Examples} examples */
function operation({ subject, request, reply, about }, shapes, examples) {
  const parts = [`### ${idOf(subject)}`, `\`${subject}\``, about.summary];
  parts.push(`Request\n\n${fieldTable(shapes.request(request))}`, `Reply\n\n${fieldTable(shapes.reply(reply))}`);
  if (about.codes) parts.push(`Errors\n\n${codeTable(about.codes)}`);
  const answers = examples.answers.filter((example) => example.subject === subject);
  for (const example of answers) parts.push(`Example\n\n${json(example.request)}\n\n${json(shortened(example.reply))}`);
  const errors = examples.errors.filter((example) => example.subject === subject);
  if (errors.length > 0) {
    const lines = errors.map(({ request: asked, error }) => `${oneLine(asked)}\n→ ${oneLine(error)}`);
    parts.push(`Refused\n\n\`\`\`\n${lines.join('\n\n')}\n\`\`\``);
  }
  return parts.join('\n\n');
}

/** @param {string} owner @param {import('@waymark/contracts/facts').FactShapes} facts @param {Shapes} shapes */
function ownerFacts(owner, facts, shapes) {
  const rows = Object.entries(facts).map(([name, { about, data }]) => {
    const fields = rowsOf(shapes.reply(data))
      .filter(({ name: field }) => !field.includes('.') && field !== 'type')
      .map(({ name: field }) => `\`${field}\``);
    return [`\`${name}\``, about, fields.join(', ')];
  });
  return `### Facts of ${owner}\n\n${table(['fact', 'what has happened', 'fields'], rows)}`;
}

/** @param {import('./schema.mjs').Schema} schema */
function fieldTable(schema) {
  const rows = rowsOf(schema).map(({ name, type, meaning }) => [`\`${name}\``, type, meaning]);
  return rows.length === 0 ? '`{}`' : table(['field', 'type', 'meaning'], rows);
}

/** @param {readonly (keyof typeof CODES)[]} codes */
const codeTable = (codes) =>
  table(
    ['code', 'meaning'],
    codes.map((code) => [`\`${code}\``, CODES[code]]),
  );

/** @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {unknown} value */
const json = (value) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** @param {unknown} value */
const oneLine = (value) => JSON.stringify(shortened(value), null, 1).replace(/\n\s*/g, ' ');

/** @param {any} value @returns {any} */
function shortened(value) {
  if (typeof value === 'string') {
    return value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      const once = TOLD_ONCE.has(name) && typeof entry === 'object' && entry !== null;
      return [name, once ? '…' : shortened(entry)];
    }),
  );
}
