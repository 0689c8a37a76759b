/**
 * Whether there is a model behind an address, before anything is started. It assumes its API and no more: such a server
 * answers `POST /chat/completions` (or `/messages`); many also list their `/models`, not all, and not for every key.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

const ANSWER_MS = 10_000;
/** Of an answer, in bytes: a list of models is far smaller. */
const MOST_READ = 1024 * 1024;
/** Names of models shown when the wanted one is not among them. */
const MOST_SHOWN = 8;

/** @typedef {{ status: number, location: string | undefined, body: unknown }} Answer `body`: undefined where it is no JSON */
/** @typedef {{ api?: 'openai' | 'anthropic', url: string, name: string, key?: string }} Model `api`: openai unless said */

const QUESTIONS = { openai: '/chat/completions', anthropic: '/messages' };
/** As the official client of this release says it. */
const ANTHROPIC_VERSION = '2026-10-21';

/**
 * @param {Model} model
 * @param {number} [answerMs] for each of at most two requests
 * @returns {Promise<{ error: string } | { note: string | null }>} a line with the remedy below it; a note stops nothing
 */
export async function checkModel(model, answerMs = ANSWER_MS) {
  const { host } = new URL(model.url);
  try {
    const listed = await ask(model, 'GET', '/models', answerMs);
    const fault = faultOf(model, host, listed);
    if (fault) return fault;
    if (listed.status === 200 && listed.body !== undefined) return { note: unlisted(model.name, host, listed.body) };
    // No list: an empty question, which no server answers, still tells an API from a wrong path.
    const question = QUESTIONS[model.api ?? 'openai'];
    const chat = await ask(model, 'POST', question, answerMs);
    const chatFault = faultOf(model, host, chat);
    if (chatFault) return chatFault;
    if (chat.status === 404 && missesModel(chat.body, model.name)) {
      return refuse(
        'unknown_model',
        `${host} knows no model "${model.name}"`,
        'see its spelling; the name is WAYMARK_MODEL_NAME or --model-name',
      );
    }
    if (chat.status >= 500) return { note: `${host} answers ${chat.status} now; the demo goes on and tries` };
    if (chat.status !== 404 && chat.status !== 405 && chat.body !== undefined) return { note: null };
    return refuse(
      'no_model_api',
      `${host} answers, but neither /models nor ${question} is below ${pathOf(model)}`,
      'the address (WAYMARK_MODEL_URL or --model-url) is the base of the API: https://host/v1 with most providers; which API it is says WAYMARK_MODEL_API or --model-api',
    );
  } catch (error) {
    const { code = /** @type {Error} */ (error).message } = /** @type {NodeJS.ErrnoException} */ (error);
    return refuse(
      'model_unreachable',
      `${host} cannot be reached (${code})`,
      `${REMEDIES[code] ?? 'see whether it runs and this machine may reach it'}; the address is WAYMARK_MODEL_URL or --model-url`,
    );
  }
}

/** @type {Readonly<Record<string, string>>} */
const REMEDIES = {
  ENOTFOUND: 'no such host: see its spelling',
  EAI_AGAIN: 'names cannot be looked up: see its spelling and the network',
  ECONNREFUSED: 'nothing listens there: start the server, or see host and port',
  EPROTO: 'it speaks no TLS there: see http and https',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks no TLS there: see http and https',
  HPE_INVALID_CONSTANT: 'what answers speaks no HTTP: see port, http and https',
};

/** What no list and no question would mend. @param {Model} model @param {string} host @param {Answer} answer */
function faultOf(model, host, { status, location }) {
  if (status === 401) {
    return refuse(
      'model_refuses_key',
      `${host} answers 401: it ${model.key === undefined ? 'wants a key' : 'does not take this key'}`,
      'give its key by WAYMARK_MODEL_KEY_FILE, WAYMARK_MODEL_KEY or --model-key-file',
    );
  }
  if (status < 300 || status >= 400) return null;
  const there = location === undefined ? '' : ` to ${location.split('?')[0]}`;
  return refuse(
    'model_moved',
    `${host} sends elsewhere${there} (${status})`,
    'give the address where the API itself is',
  );
}

/** @param {string} name @param {string} host @param {unknown} body */
function unlisted(name, host, body) {
  const { data } = /** @type {{ data?: unknown }} */ (body ?? {});
  const names = (Array.isArray(data) ? data : []).map((one) => one?.id).filter((id) => typeof id === 'string');
  if (names.length === 0 || names.includes(name)) return null;
  const shown = names.slice(0, MOST_SHOWN).join(', ') + (names.length > MOST_SHOWN ? ', …' : '');
  return `${host} lists no model "${name}"; it lists: ${shown}`.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
}

/**
 * Whether a 404 is about the model and not about the path: by its code, or because it names the model.
 * @param {unknown} body @param {string} name
 */
function missesModel(body, name) {
  const { error } = /** @type {{ error?: { code?: unknown, message?: unknown } | string }} */ (body ?? {});
  const { code, message } = typeof error === 'object' && error !== null ? error : { code: null, message: error };
  return code === 'model_not_found' || (/\bmodel\b/i.test(String(message)) && String(message).includes(name));
}

/** @param {Model} model */
const pathOf = ({ url }) => new URL(url).pathname.replace(/\/$/, '') || '/';

/**
 * Redirects are not followed: the key is for one address.
 * @param {Model} model @param {'GET' | 'POST'} method @param {string} path @param {number} answerMs
 * @returns {Promise<Answer>}
 */
function ask({ api, url, name, key }, method, path, answerMs) {
  const address = new URL(`${url.replace(/\/+$/, '')}${path}`);
  const send = address.protocol === 'https:' ? httpsRequest : httpRequest;
  const body = method === 'POST' ? JSON.stringify({ model: name, messages: [] }) : undefined;
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(api === 'anthropic' ? { 'anthropic-version': ANTHROPIC_VERSION } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const late = setTimeout(() => sent.destroy(new Error(`no answer within ${answerMs / 1000} s`)), answerMs);
    const sent = send(address, { method, headers }, (answer) => {
      const chunks = /** @type {Buffer[]} */ ([]);
      let size = 0;
      const done = () => {
        clearTimeout(late);
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location, body: asJson(chunks) });
        sent.destroy();
      };
      answer.on('data', (chunk) => {
        chunks.push(chunk);
        if ((size += chunk.length) > MOST_READ) done();
      });
      answer.once('end', done);
      answer.once('error', done);
    });
    sent.once('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    sent.end(body);
  });
}

/** @param {Buffer[]} chunks @returns {unknown} */
function asJson(chunks) {
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

/** @param {string} code @param {string} message @param {string} remedy @returns {{ error: string }} */
const refuse = (code, message, remedy) => ({ error: `${code}: ${message}\n  ${remedy}` });
