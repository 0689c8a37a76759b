/**
 * The demo: everything as it is deployed, only on private servers, and then what a person would type.
 *
 * 1. What it starts it stops, at the end (with --keep: at Ctrl-C) and at Ctrl-C; what it could not stop dies with it (libs/testing).
 * 2. It does nothing that the command line cannot do: each step is a `waymark` command.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { WaymarkError } from '@waymark/client';
import { startStack } from '@waymark/testing/stack';
import { root } from '../setup.mjs';

const CLI = join(root, 'apps/cli/dist/main.js');
const QUESTION = 'question.txt';
/** Milliseconds before each answer of the practice model: without it there would be nothing to follow. */
const PRACTICE_LATENCY_MS = 120;
const INTERRUPTED = 130;

/** @param {import('./options.mjs').DemoOptions} options @returns {Promise<number>} exit code */
export async function runDemo(options) {
  const stopping = new AbortController();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => stopping.abort(new Error('stopped')));
  }
  const scratch = mkdtempSync(join(tmpdir(), 'waymark-demo-'));
  /** @type {import('@waymark/testing/stack').Stack | undefined} */
  let stack;
  try {
    const from = performance.now();
    console.log('starting private servers and every service as a process of its own');
    stack = await start(options, join(scratch, 'provider.jsonl'), stopping.signal);
    console.log(`ready after ${seconds(from)}: ${[...stack.processes.keys()].join(', ')}`);
    const code = await research(options, stack, scratch, stopping.signal);
    if (options.keep) await keptUntil(stopping.signal, stack);
    return code;
  } catch (error) {
    if (stopping.signal.aborted) return INTERRUPTED;
    if (error instanceof WaymarkError) console.error(`${error.code}: ${error.message}\n  ${error.remedy}`);
    else console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    await stack?.stop();
    rmSync(scratch, { recursive: true, force: true });
    console.log(
      stopping.signal.aborted
        ? 'stopped: everything that was started has ended'
        : 'everything that was started has ended',
    );
  }
}

/** @param {import('./options.mjs').DemoOptions} options @param {string} logFile @param {AbortSignal} signal */
async function start({ model }, logFile, signal) {
  const reviewer = existsSync(join(root, 'apps/reviewer/dist/main.js')) ? 1 : 0;
  return await startStack({
    signal,
    replicas: { reviewer },
    ...(model ? { model } : { logFile, env: { 'practice-model': { LATENCY_MS: String(PRACTICE_LATENCY_MS) } } }),
    onProgress: (what) => console.log(`  ${what}`),
  });
}

/**
 * @param {import('./options.mjs').DemoOptions} options
 * @param {import('@waymark/testing/stack').Stack} stack
 * @param {string} scratch
 * @param {AbortSignal} signal
 */
async function research(options, stack, scratch, signal) {
  const env = { WAYMARK_NATS_URL: stack.nats.url };
  /** @param {string[]} args @param {'shown' | 'quiet'} [how] */
  const waymark = (args, how = 'shown') => runCli(args, env, how, signal);
  const model = options.model ? options.model.name : 'the practice model (deterministic, not a language model)';
  console.log(`\nmodel: ${model}\nquestion: ${oneLine(options.question)}\n`);

  const uploaded = await waymark(['upload', documentsOf(options.docs, scratch), '--corpus', 'demo']);
  if (uploaded !== 0) return uploaded;

  const question = join(scratch, 'question.txt');
  writeFileSync(question, options.question);
  const limits = options.limits.flatMap((limit) => ['--limit', limit]);
  const key = 'demo';
  const asked = [
    'start',
    '--corpus',
    'demo',
    '--policy',
    options.policy,
    '--question-file',
    question,
    ...limits,
    '--key',
    key,
  ];
  const followed = await waymark([...asked, '--follow', '--no-hint']);
  signal.throwIfAborted();
  const run = await runOf(asked, env, signal);
  if (run === null) return followed === 0 ? 1 : followed;

  const out = resolve(options.out, run);
  mkdirSync(out, { recursive: true });
  const at = /** @param {string} name */ (name) => join(out, name);
  await waymark(['report', run, '--format', 'markdown', '--out', at('report.md'), '--viewer', 'demo']);
  await waymark(['report', run, '--format', 'html', '--out', at('report.html'), '--viewer', 'demo']);
  await waymark(['explain', run, '--out', at('explanation.txt')]);
  // What is kept is what is proven: whoever has both files needs nothing else.
  await waymark(['record', run, '--out', at('record.jsonl')], 'quiet');
  if (!options.model) cpSync(join(scratch, 'provider.jsonl'), at('provider-log.jsonl'));
  const kept = /** @param {string} name */ (name) => relative(process.cwd(), at(name));
  const log = options.model ? [] : ['--provider-log', kept('provider-log.jsonl')];
  const verify = ['verify', run, '--record', kept('record.jsonl'), ...log];
  const proven = await waymark([...verify, '--out', at('verification.txt')]);
  signal.throwIfAborted();
  console.log(`\nproof: ${PROOFS[proven] ?? `verify ended with ${proven}`}`);
  console.log(`written to ${relative(process.cwd(), out) || out}:`);
  for (const name of readdirSync(out).sort()) console.log(`  ${kept(name)}`);
  console.log(`\nto prove it again, with nothing running:\n  npm run waymark -- ${verify.map(quoted).join(' ')}`);
  return followed !== 0 ? followed : proven === 1 ? 1 : 0;
}

/**
 * Says how to ask the system that is still up, and waits.
 * @param {AbortSignal} signal @param {import('@waymark/testing/stack').Stack} stack
 */
async function keptUntil(signal, stack) {
  if (signal.aborted) return;
  const lines = [
    'everything is still up, until Ctrl-C here. In another terminal, in this folder:',
    `  export WAYMARK_NATS_URL=${stack.nats.url}`,
    '  npm run waymark -- list',
    '  npm run waymark -- explain <run>',
    ...(stack.practiceUrl ? [`  npm run waymark -- verify <run> --provider-log ${stack.practiceUrl}/log`] : []),
    `  nats --server ${stack.nats.url} req waymark.runtime.v1.list '{}'        with the nats program, if you have it`,
  ];
  console.log(`\n${lines.join('\n')}`);
  const open = setInterval(() => undefined, 60_000); // neither children nor signals keep a process up
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  clearInterval(open);
}

/** As a shell takes it. @param {string} word */
const quoted = (word) => (/^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** @type {Readonly<Record<number, string>>} */
const PROOFS = {
  0: 'right: the record, every request byte for byte, and every submitted reminder in the bytes that arrived',
  1: 'WRONG: see verification.txt',
  3: 'nothing was found wrong, and not all could be checked: see verification.txt',
};

/**
 * The documents without the question that lies beside them.
 * @param {string} docs @param {string} scratch
 */
function documentsOf(docs, scratch) {
  if (!existsSync(join(docs, QUESTION)) || resolve(docs) !== join(root, 'apps/cli/demo-corpus')) return docs;
  const copy = join(scratch, 'documents');
  cpSync(docs, copy, { recursive: true, filter: (path) => path !== join(docs, QUESTION) });
  return copy;
}

/**
 * The run of a start: the same key again reads the same run and starts nothing.
 * @param {string[]} asked @param {Record<string, string>} env @param {AbortSignal} signal
 * @returns {Promise<string | null>}
 */
async function runOf(asked, env, signal) {
  const chunks = /** @type {Buffer[]} */ ([]);
  const code = await runCli([...asked, '--json'], env, (chunk) => chunks.push(chunk), signal);
  return code === 0 ? JSON.parse(Buffer.concat(chunks).toString()).run : null;
}

/**
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @param {'shown' | 'quiet' | ((chunk: Buffer) => void)} output
 * @param {AbortSignal} signal
 * @returns {Promise<number>} exit code
 */
function runCli(args, env, output, signal) {
  signal.throwIfAborted();
  return new Promise((resolvePromise, reject) => {
    const stdout = output === 'shown' ? 'inherit' : output === 'quiet' ? 'ignore' : 'pipe';
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { ...baseEnv(), ...env },
      stdio: ['ignore', stdout, 'inherit'],
    });
    if (typeof output === 'function') child.stdout?.on('data', output);
    const stop = () => child.kill('SIGINT');
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      resolvePromise(code ?? INTERRUPTED);
    });
  });
}

/** The model's key is none of the command line's business. */
function baseEnv() {
  const { PATH, HOME, TERM, LANG, COLUMNS } = process.env;
  return Object.fromEntries(
    Object.entries({ PATH, HOME, TERM, LANG, COLUMNS }).filter(([, value]) => value !== undefined),
  );
}

/** @param {number} from */
const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
/** @param {string} text */
const oneLine = (text) => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 500);
