/**
 * `npm test`: everything that must hold, on a fresh clone. `node tools/test.mjs unit rules` runs only these steps.
 * Ends with the line `N passed, N failed`: the tests of all steps; a step without tests of its own counts as one failed
 * when it fails. The exit code is not 0 when a step failed or no test ran.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headComment } from './head-comment.mjs';
import { ready, root } from './setup.mjs';

if (process.argv.includes('--help')) {
  console.log(headComment(import.meta.url));
  process.exit(0);
}
await ready(import.meta.url, { build: false }).catch(setUpFailed);

/** @typedef {{ name: string, command: string[] }} CommandStep */
/** @typedef {{ name: string, specs: string, flags: string[], under?: string }} JestStep */

/** @type {(CommandStep | JestStep)[]} */
const STEPS = [
  { name: 'format', command: ['prettier', '--check', '--log-level=warn', '.'] },
  { name: 'build', command: ['nx', 'run-many', '-t', 'build'] },
  { name: 'lint', command: ['nx', 'run-many', '-t', 'lint'] },
  { name: 'typecheck', command: ['nx', 'run-many', '-t', 'typecheck'] },
  { name: 'rules', command: ['node', 'tools/rules.mjs'] },
  // One process over all projects: starting Jest once per project takes longer than the tests.
  { name: 'unit', specs: 'unit|prop|contract', flags: ['--maxWorkers=2'] },
  { name: 'integration', specs: 'int', flags: ['--maxWorkers=2', '--testPathIgnorePatterns', '/apps/runtime/'] },
  // Each file starts every service and then mostly waits for leases and limits: two at a time, also on more cores.
  { name: 'system', specs: 'int', under: '/apps/runtime/', flags: ['--maxWorkers=2'] },
  { name: 'crash', specs: 'crash', flags: ['--maxWorkers=2'] },
  // Half a minute of bad days; the same ones each time.
  { name: 'chaos', command: ['node', 'tools/chaos.mjs', '--minutes', '0.5', '--seed', '7'] },
  { name: 'demo', specs: 'e2e', flags: ['--maxWorkers=2'] },
];

/** Minutes after which a step that still runs is ended and has failed. */
const STEP_MINUTES = 25;
/** Lines of a failed step's output that are shown. */
const SHOWN_LINES = 300;

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`no such step: ${unknown.join(', ')}; there are ${STEPS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

/** @type {import('node:child_process').ChildProcess | undefined} */
let running;
let stopping = false;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    stopping = true;
    if (running?.pid !== undefined) endGroup(running.pid);
  });
}

const scratch = mkdtempSync(join(tmpdir(), 'waymark-test-'));
let passed = 0;
let failed = 0;
try {
  for (const step of STEPS) {
    if (stopping || (chosen.length > 0 && !chosen.includes(step.name))) continue;
    const from = performance.now();
    const result = 'specs' in step ? await runJest(step) : await runCommand(step);
    passed += result.passed;
    failed += result.failed;
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    if (result.failed > 0) console.log(result.output.split('\n').slice(-SHOWN_LINES).join('\n'));
    console.log(`${result.failed > 0 ? 'FAILED' : 'ok'}  ${step.name}: ${result.summary} (${seconds} s)`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (stopping) console.log('stopped before the end');
console.log(`${passed} passed, ${failed} failed`);
const onlyCommands = chosen.length > 0 && STEPS.every((step) => !chosen.includes(step.name) || 'command' in step);
process.exitCode = failed > 0 || stopping || (passed === 0 && !onlyCommands) ? 1 : 0;

/**
 * Ends a step with all that it started: a Jest worker would go on with its file after its parent has gone.
 * @param {number} leader
 */
function endGroup(leader) {
  process.kill(-leader, 'SIGTERM');
  setTimeout(() => {
    try {
      process.kill(-leader, 'SIGKILL');
    } catch {
      // all of it has ended in time
    }
  }, 3_000).unref();
}

/** @param {unknown} error @returns {never} */
function setUpFailed(error) {
  console.error(`set-up: ${error instanceof Error ? error.message : error}`);
  console.log('0 passed, 1 failed');
  process.exit(1);
}

/** @param {CommandStep} step */
async function runCommand({ command: [program = '', ...args] }) {
  const { code, output } = await run(program, args);
  if (code === 0) return { passed: 0, failed: 0, output, summary: 'nothing to complain about' };
  return { passed: 0, failed: 1, output, summary: `exit code ${code}` };
}

/** @param {JestStep} step */
async function runJest({ name, specs, flags, under = '' }) {
  const outputFile = join(scratch, `${name}.json`);
  const { code, output } = await run('node', [
    ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'],
    ...['--json', `--outputFile=${outputFile}`, '--passWithNoTests', '--silent=false', ...flags],
    ...['--testPathPatterns', `${under}.*\\.(${specs})\\.spec\\.ts$`],
  ]);
  const report = readReport(outputFile);
  const broken = report.numRuntimeErrorTestSuites; // a file that could not be run counts as one failed test
  const tests = { passed: report.numPassedTests, failed: report.numFailedTests + broken, output };
  for (const title of notRun(report)) console.log(`not run  ${name}: ${title}`); // never green: what it needs is not here
  if (tests.failed === 0 && code !== 0) return { ...tests, failed: 1, summary: `Jest ended with exit code ${code}` };
  if (tests.passed + tests.failed === 0) return { ...tests, failed: 1, summary: 'no test was found' };
  return { ...tests, summary: `${tests.passed} passed, ${tests.failed} failed` };
}

/**
 * Titles of tests that said themselves that they could not be run here.
 * @param {ReturnType<typeof readReport>} report
 */
function notRun({ testResults = [] }) {
  const all = testResults.flatMap((/** @type {JestFile} */ { assertionResults }) => assertionResults);
  return all.flatMap(({ status, fullName }) => (status === 'pending' ? [fullName] : []));
}

/** @typedef {{ assertionResults: { status: string, fullName: string }[] }} JestFile */

/** @param {string} path */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 1 };
  }
}

/**
 * @param {string} program @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
function run(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    running = child;
    let output = '';
    const late = setTimeout(() => {
      output += `\nended after ${STEP_MINUTES} minutes`;
      if (child.pid !== undefined) endGroup(child.pid);
    }, STEP_MINUTES * 60_000);
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => {
      clearTimeout(late);
      resolve({ code: 127, output: error.message });
    });
    child.once('close', (code, signal) => {
      clearTimeout(late);
      resolve({ code: code ?? 1, output: signal === null ? output : `${output}\nended by ${signal}` });
    });
  });
}
