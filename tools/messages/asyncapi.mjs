/** The AsyncAPI 3 document: what Waymark receives, answers and tells. */
import { z } from 'zod';
import { CATALOG } from '@waymark/contracts/catalog';
import { FACTS } from '@waymark/contracts/facts';
import { reviewOrder } from '@waymark/contracts/reviewer';
import { inboxDelivery, runOrder } from '@waymark/contracts/runtime';
import { WORK } from '@waymark/contracts/streams';
import { CODES, errorBody, event, WIRE_CODES } from '@waymark/contracts/wire';
import { Shapes } from './schema.mjs';

/** @typedef {import('./play-examples.mjs').Examples} Examples */

const ERROR_HEADERS = {
  type: 'object',
  required: ['Nats-Service-Error'],
  properties: {
    'Nats-Service-Error': { type: 'string', description: "the error's code: marks the reply as an error" },
  },
};
const INTERNAL = [{ name: 'internal', description: 'The services among themselves; no external user reaches it.' }];
const PUBLIC = [{ name: 'public', description: 'For anybody with a user of NATS.' }];

/** @param {Examples} examples */
export function asyncApi(examples) {
  const shapes = new Shapes();
  shapes.reply(errorBody);
  const channels = {};
  const operations = {};
  const messages = {};
  for (const [owner, contracts] of Object.entries(CATALOG)) {
    for (const contract of Object.values(contracts)) {
      addOperation({ channels, operations, messages }, { owner, contract, shapes, examples });
    }
  }
  addFacts({ channels, operations, messages }, shapes);
  addWork({ channels, operations, messages }, shapes);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Waymark',
      version: '1',
      description:
        'Long research with limits that hold: start a run, follow it, stop it, read its report and its explanation. Plain JSON over NATS. The page for people is docs/messages.md; both are written from the contracts.',
    },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: '{host}:4222',
        protocol: 'nats',
        description: 'NATS with JetStream.',
        variables: { host: { default: 'localhost', description: 'where your operator runs NATS' } },
        security: [{ $ref: '#/components/securitySchemes/user' }],
      },
    },
    channels,
    operations,
    components: {
      messages,
      schemas: shapes.named,
      securitySchemes: {
        user: { type: 'userPassword', description: 'A user of NATS; it reaches the operations tagged `public`.' },
      },
    },
  };
}

/**
 * @param {{ channels: any, operations: any, messages: any }} into
 * @param {{ owner: string, contract: import('@waymark/contracts/wire').Contract, shapes: Shapes, examples: Examples }} from
 */
function addOperation({ channels, operations, messages }, { owner, contract, shapes, examples }) {
  const { subject, request, reply, about } = contract;
  const id = idOf(subject);
  const answers = examples.answers.filter((example) => example.subject === subject);
  const errors = examples.errors.filter((example) => example.subject === subject);
  const codes = [...WIRE_CODES, ...(about.codes ?? [])];
  messages[`${id}.request`] = {
    name: `${id}.request`,
    payload: shapes.request(request),
    ...exampled(answers.map((example) => ({ payload: example.request }))),
  };
  messages[`${id}.reply`] = {
    name: `${id}.reply`,
    payload: shapes.reply(reply),
    ...exampled(answers.map((example) => ({ payload: example.reply }))),
  };
  messages[`${id}.error`] = {
    name: `${id}.error`,
    description: codes.map((code) => `\`${code}\`: ${CODES[code]}`).join('\n\n'),
    headers: ERROR_HEADERS,
    payload: {
      allOf: [shapes.reply(errorBody), { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
    },
    ...exampled(
      errors.map(({ error }) => ({ name: error.code, headers: { 'Nats-Service-Error': error.code }, payload: error })),
    ),
  };
  channels[id] = {
    address: subject,
    messages: { request: messageRef(`${id}.request`) },
    bindings: { nats: {} },
  };
  channels[`${id}.reply`] = {
    address: null,
    description: 'The reply subject that the caller names: its inbox.',
    messages: { reply: messageRef(`${id}.reply`), error: messageRef(`${id}.error`) },
  };
  operations[id] = {
    action: 'receive',
    channel: { $ref: `#/channels/${id}` },
    title: id,
    summary: about.summary,
    tags: about.access === 'public' ? PUBLIC : INTERNAL,
    messages: [{ $ref: `#/channels/${id}/messages/request` }],
    reply: {
      channel: { $ref: `#/channels/${id}.reply` },
      messages: [{ $ref: `#/channels/${id}.reply/messages/reply` }, { $ref: `#/channels/${id}.reply/messages/error` }],
    },
    bindings: { nats: { queue: owner, bindingVersion: '0.1.0' } },
  };
}

/** @param {{ channels: any, operations: any, messages: any }} into @param {Shapes} shapes */
function addFacts({ channels, operations, messages }, shapes) {
  for (const [owner, facts] of Object.entries(FACTS)) {
    const id = `facts.${owner}`;
    channels[id] = {
      address: `waymark.facts.v1.${owner}.{run}.{fact}`,
      description: 'Kept for 7 days in the stream WAYMARK_FACTS, and for good in the owner’s table: list-events.',
      parameters: {
        run: { description: 'id of the run' },
        fact: { description: 'name of the fact', enum: Object.keys(facts) },
      },
      messages: {},
    };
    for (const [name, { about, data }] of Object.entries(facts)) {
      const message = `${id}.${name}`;
      messages[message] = {
        name: message,
        summary: about,
        payload: shapes.reply(
          event.extend({ owner: z.literal(owner), type: z.literal(`waymark.${owner}.fact.v1.${name}`), data }),
        ),
      };
      channels[id].messages[name] = messageRef(message);
    }
    operations[id] = {
      action: 'send',
      channel: { $ref: `#/channels/${id}` },
      title: id,
      summary: `What ${owner} has recorded, as it happens. At least once; order and gaps show in \`seq\`.`,
      tags: PUBLIC,
    };
  }
}

/** @param {{ channels: any, operations: any, messages: any }} into @param {Shapes} shapes */
function addWork({ channels, operations, messages }, shapes) {
  const inbox = { payload: inboxDelivery, summary: 'Something for the inbox of a run.' };
  const kinds = {
    run: { address: WORK.run, payload: runOrder, summary: 'Look at this run.' },
    'inbox.limit': { address: WORK.inbox.limit, ...inbox },
    'inbox.verdict': { address: WORK.inbox.verdict, ...inbox },
    review: { address: WORK.review, payload: reviewOrder, summary: 'A review to be done.' },
  };
  for (const [kind, { address, payload, summary }] of Object.entries(kinds)) {
    const id = `work.${kind}`;
    messages[id] = { name: id, payload: shapes.request(payload) };
    channels[id] = { address, messages: { order: messageRef(id) } };
    operations[id] = {
      action: 'receive',
      channel: { $ref: `#/channels/${id}` },
      title: id,
      summary,
      tags: INTERNAL,
    };
  }
}

/** `waymark.runtime.v1.list-events` → `runtime.list-events`. @param {string} subject */
export const idOf = (subject) => subject.replace(/^waymark\.(.+)\.v1\./, '$1.');

/** @param {string} name */
const messageRef = (name) => ({ $ref: `#/components/messages/${name}` });

/** @param {object[]} examples */
const exampled = (examples) => (examples.length === 0 ? {} : { examples });
