/** What `npm run demo` may be told. Imports nothing that a fresh clone does not have. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../setup.mjs';

/**
 * @typedef {object} DemoOptions
 * @property {string} docs folder of documents
 * @property {string} question
 * @property {string} policy
 * @property {string} out folder for results
 * @property {boolean} keep everything stays up until Ctrl-C
 * @property {string[]} limits `name=value`
 * @property {{ api: 'openai' | 'anthropic', url: string, name: string, key?: string } | null} model null: the practice model
 */

const CORPUS = join(root, 'apps/cli/demo-corpus');
/** UTF-8 bytes; the runtime has the same limit and the last word. */
const MOST_QUESTION_BYTES = 64 * 1024;

export const HELP = `npm run demo [-- options]

  --docs <folder>           documents of your own (PDF, HTML, Markdown, CSV, text); needs a question
  --question <text>         what is to be found out
  --question-file <file>    the same from a file
  --policy <name>           teaching (default), standard, deep, bench
  --limit <name=value>      set a limit explicitly, again for more
  --out <folder>            where reports go; default waymark-out
  --keep                    leave everything up until Ctrl-C: to explain, prove and ask more in another terminal
  --model-url <url>         a real model: base address of its API, https://host/v1         (WAYMARK_MODEL_URL)
  --model-name <name>       and its name                                                   (WAYMARK_MODEL_NAME)
  --model-key-file <file>   and a file with its key                (WAYMARK_MODEL_KEY or WAYMARK_MODEL_KEY_FILE)
  --model-api <name>        openai (default: OpenAI-compatible) or anthropic               (WAYMARK_MODEL_API)

Without a model the practice model answers: a deterministic program that reads, compares and cites. It is no language
model. Nothing leaves this machine then.

Ends with 0 when the report is there and proven, 1 when something failed, 2 when something given cannot be used (nothing
was started), 4 when the run ended failed or cancelled, 130 when it was stopped.`;

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {DemoOptions | 'help' | { error: string }}
 */
export function readOptions(args, env) {
  /** @type {Record<string, string | boolean | string[] | undefined>} */
  let given;
  try {
    given = parseArgs({
      args,
      options: {
        docs: { type: 'string' },
        question: { type: 'string' },
        'question-file': { type: 'string' },
        policy: { type: 'string', default: 'teaching' },
        limit: { type: 'string', multiple: true, default: [] },
        out: { type: 'string', default: 'waymark-out' },
        keep: { type: 'boolean', default: false },
        'model-url': { type: 'string' },
        'model-name': { type: 'string' },
        'model-key-file': { type: 'string' },
        'model-api': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse('bad_option', error instanceof Error ? error.message : String(error), 'see npm run demo -- --help');
  }
  if (given.help) return 'help';
  const text = /** @param {string} name */ (name) => /** @type {string | undefined} */ (given[name]);
  const docs = text('docs') ?? CORPUS;
  const folder = folderFault(docs);
  if (folder) return folder;
  const question = questionOf(text('docs'), text('question'), text('question-file'));
  if (typeof question !== 'string') return question;
  const model = modelOf(text, env);
  if (model && 'error' in model) return model;
  const limits = /** @type {string[]} */ (given.limit);
  const policy = text('policy') ?? 'teaching';
  const out = text('out') ?? 'waymark-out';
  return { docs, question, policy, out, keep: given.keep === true, limits, model };
}

/** @param {string | undefined} docs @param {string | undefined} said @param {string | undefined} file */
function questionOf(docs, said, file) {
  if (said !== undefined && file !== undefined) return refuse('two_questions', 'there are two questions', 'give one');
  if (said === undefined && file === undefined && docs !== undefined) {
    return refuse('no_question', 'documents of your own need a question', 'add --question "…"');
  }
  const path = file ?? join(CORPUS, 'question.txt');
  let question = said;
  if (question === undefined) {
    try {
      question = readFileSync(path, 'utf8').trim();
    } catch (error) {
      return refuse('no_question_file', `${path} cannot be read (${codeOf(error)})`, 'name a text file');
    }
  }
  if (question.trim() === '')
    return refuse('empty_question', 'the question has no words', 'say what is to be found out');
  const bytes = Buffer.byteLength(question);
  if (bytes <= MOST_QUESTION_BYTES) return question;
  return refuse(
    'question_too_large',
    `the question has ${bytes} bytes; at most ${MOST_QUESTION_BYTES} are taken`,
    'put material into a document of the folder and ask about it',
  );
}

/** @param {string} folder */
function folderFault(folder) {
  const remedy = 'name a folder with PDF, HTML, Markdown, CSV or text files';
  try {
    if (statSync(folder).isDirectory()) {
      return holdsFile(folder) ? null : refuse('empty_folder', `the folder ${folder} holds no file`, remedy);
    }
    return refuse('not_a_folder', `${folder} is not a folder`, remedy);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return refuse('no_such_folder', `${folder} does not exist`, remedy);
    if (code === 'ENOTDIR') return refuse('not_a_folder', `${folder} is not a folder`, remedy);
    return refuse('unreadable_folder', `${folder} cannot be read (${code})`, remedy);
  }
}

/** Whether anything below could be a document; the upload says why each other entry is none. @param {string} folder */
function holdsFile(folder) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    if (entry.name.startsWith('.')) return false;
    return entry.isFile() || (entry.isDirectory() && holdsFile(join(folder, entry.name)));
  });
}

/**
 * @param {(name: string) => string | undefined} text
 * @param {NodeJS.ProcessEnv} env
 * @returns {DemoOptions['model'] | { error: string }}
 */
function modelOf(text, env) {
  const url = text('model-url') ?? (env.WAYMARK_MODEL_URL || undefined);
  const name = text('model-name') ?? (env.WAYMARK_MODEL_NAME || undefined);
  if (url === undefined && name === undefined) return null;
  if (url === undefined || name === undefined) {
    return refuse('half_a_model', 'a model needs an address and a name', 'give --model-url and --model-name');
  }
  const api = text('model-api') ?? (env.WAYMARK_MODEL_API || 'openai');
  if (api !== 'openai' && api !== 'anthropic')
    return refuse(
      'bad_model_api',
      `there is no API "${api}" here`,
      'write openai or anthropic (WAYMARK_MODEL_API or --model-api)',
    );
  if (!/^https?:\/\/[^@?#\s]+$/.test(url))
    return refuse(
      'bad_model_url',
      'the model’s address is no plain http address',
      'write https://host/v1, without a user, a password or a query',
    );
  const key = keyOf(text('model-key-file'), env);
  if (key === undefined) return { api, url, name };
  return typeof key === 'string' ? { api, url, name, key } : key;
}

/** What a header can carry, as the runtime asks it of `MODEL_KEY`. */
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** @param {string | undefined} file @param {NodeJS.ProcessEnv} env @returns {string | undefined | { error: string }} */
function keyOf(file, env) {
  const path = file ?? (env.WAYMARK_MODEL_KEY ? undefined : env.WAYMARK_MODEL_KEY_FILE || undefined);
  const where = path === undefined ? 'WAYMARK_MODEL_KEY' : `the file with the key, ${path},`;
  let key = env.WAYMARK_MODEL_KEY || undefined;
  if (path !== undefined) {
    try {
      key = readFileSync(path, 'utf8').trim();
    } catch (error) {
      return refuse('no_key_file', `${where} cannot be read (${codeOf(error)})`, 'name a file that you may read');
    }
  }
  if (key === undefined || VISIBLE_ASCII.test(key)) return key;
  if (key === '') return refuse('bad_model_key', `${where} is empty`, 'write the key into it, or give no key');
  return refuse('bad_model_key', `${where} holds no key`, 'a key is one line of visible ASCII characters');
}

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code ?? 'unknown reason';

/** @param {string} code @param {string} message @param {string} remedy @returns {{ error: string }} */
const refuse = (code, message, remedy) => ({ error: `${code}: ${message}\n  ${remedy}` });
