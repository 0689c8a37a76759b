/** The measurements as tables: pure, returns text. */
import { STACK_SERVICES } from '@waymark/testing/stack';
import { median, sum } from './figures.mjs';

/** @typedef {Awaited<ReturnType<import('./measure.mjs').measure>>} Measurement */

const SERVERS = ['postgres', 'nats', 'redis'];

/** First column to the left, the others to the right.
 * @param {string} title @param {string[]} head @param {(string | number | null | undefined)[][]} rows
 */
export function table(title, head, rows) {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => (cell === null || cell === undefined ? '-' : String(cell))),
  );
  const widths = head.map((_, i) => Math.max(...cells.map((row) => (row[i] ?? '').length)));
  const lines = cells.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
  return `${title}\n${lines.map((line) => `  ${line.trimEnd()}`).join('\n')}\n`;
}

/**
 * Measurements of the same workload as one: the median of each figure.
 * @param {Measurement[]} repeats
 */
export function middle(repeats) {
  const of = (/** @type {(m: Measurement) => number | null | undefined} */ read) =>
    median(repeats.map(read).filter((value) => value !== null && value !== undefined));
  const first = /** @type {Measurement} */ (repeats[0]);
  return { repeats, first, n: repeats.length, of, name: nameOf(first), turns: first.runs * first.turns };
}

/** @param {Measurement} m */
export const nameOf = (m) => (m.runs > 1 ? `${m.runs} × ${m.turns}` : String(m.turns));

/** The growth of the repeat whose ratio is the middle one; null when none could tell. @param {Row} row */
export function middleGrowth({ repeats }) {
  const known = repeats.map((m) => m.times.growth).filter((growth) => growth !== null);
  return known.sort((a, b) => a.ratio - b.ratio)[Math.ceil(known.length / 2) - 1] ?? null;
}

/** @typedef {ReturnType<typeof middle>} Row */

/** Text of all tables of the timing runs. @param {Row[]} rows */
export function timingTables(rows) {
  return [times(rows), cpu(rows), traffic(rows), requests(rows), memory(rows), slowest(rows), warnings(rows)].join(
    '\n',
  );
}

/** @param {Row[]} rows */
const times = (rows) =>
  table(
    'ms a turn, from the start of one main request to the start of the next (load: of the machine, before)',
    [
      'turns',
      'n',
      'first 50',
      'p99',
      'last 50',
      'p99',
      'all',
      'p99',
      'with a summary',
      'wall s',
      'wall a turn',
      'runs/s',
      'load',
    ],
    rows.map(({ name, n, of }) => [
      ...[name, n],
      ...[ms(of((m) => m.times.first50.median)), ms(of((m) => m.times.first50.p99))],
      ...[ms(of((m) => m.times.last50.median)), ms(of((m) => m.times.last50.p99))],
      ...[ms(of((m) => m.times.all.median)), ms(of((m) => m.times.all.p99))],
      `${ms(of((m) => m.times.compacting.median)) ?? '-'} (${of((m) => m.times.compacting.turns)}×)`,
      ...[
        ms(of((m) => m.wallMs / 1000)),
        ms(of((m) => m.wallPerTurn)),
        ms(of((m) => m.runsPerSecond)),
        ms(of((m) => m.load)),
      ],
    ]),
  );

/** @param {Row[]} rows */
function cpu(rows) {
  const services = STACK_SERVICES.map((service) => `${service}-1`);
  const perTurn = (/** @type {Row} */ row, /** @type {string[]} */ names) =>
    ms(row.of((m) => names.reduce((total, name) => total + (m.cpuMs[name] ?? 0), 0) / row.turns));
  return table(
    'CPU ms a turn, by process; to the point where every fact is consumed',
    ['turns', ...STACK_SERVICES, '= ours', ...SERVERS, '= servers', 'practice-model', 'this driver', 'all'],
    rows.map((row) => [
      row.name,
      ...services.map((name) => perTurn(row, [name])),
      perTurn(row, services),
      ...SERVERS.map((name) => perTurn(row, [name])),
      perTurn(row, SERVERS),
      perTurn(row, ['practice-model']),
      perTurn(row, ['this driver']),
      ms(row.of((m) => sum(m.cpuMs) / row.turns)),
    ]),
  );
}

/** @param {Row[]} rows */
const traffic = (rows) =>
  table(
    'A turn: transactions that wrote, WAL, NATS messages, Redis commands; bytes stored in all databases, against the new content',
    [
      'turns',
      'writes',
      'WAL KB',
      'NATS sent',
      'delivered',
      'KB',
      'Redis',
      'stored KB',
      '× content',
      'in streams KB',
      'request KB',
      'most',
    ],
    rows.map(({ name, turns, of }) => [
      name,
      ms(of((m) => m.writes / turns)),
      kb(of((m) => m.walBytes / turns)),
      ...[ms(of((m) => (m.nats['sent'] ?? 0) / turns)), ms(of((m) => (m.nats['delivered'] ?? 0) / turns))],
      kb(of((m) => (m.nats['bytes'] ?? 0) / turns)),
      ms(of((m) => m.redisCommands / turns)),
      ...[kb(of((m) => m.storedBytes / turns)), ms(of((m) => m.storedRatio))],
      kb(of((m) => (m.nats['stored'] ?? 0) / turns)),
      ...[kb(of((m) => m.requestBytes.median)), kb(of((m) => m.requestBytes.most))],
    ]),
  );

/** @param {Row[]} rows */
function requests(rows) {
  const purposes = ['explore', 'finish', 'summarize', 'review'];
  return table(
    'Requests by purpose',
    ['turns', ...purposes],
    rows.map(({ name, of }) => [name, ...purposes.map((purpose) => of((m) => m.requests[purpose] ?? 0))]),
  );
}

/** @param {Row[]} rows */
function memory(rows) {
  const names = Object.keys(rows[0]?.first.memoryMb ?? {});
  return table(
    'Peak memory, MB (PostgreSQL: its first process alone)',
    ['turns', ...names],
    rows.map(({ name, of }) => [name, ...names.map((process) => whole(of((m) => m.memoryMb[process])))]),
  );
}

/** @param {Row[]} rows */
const slowest = (rows) =>
  table(
    'Slowest turns of the first repeat: turn, ms',
    ['turns', '1.', '2.', '3.', '4.', '5.'],
    rows.map(({ name, first }) => [
      name,
      ...[0, 1, 2, 3, 4].map((i) => first.times.slowest[i]).map((t) => t && `${t.turn}: ${t.ms.toFixed(1)}`),
    ]),
  );

/** @param {Row[]} rows */
const warnings = (rows) =>
  table(
    'Warnings in the logs of all repeats (their lines: in the JSON)',
    ['turns', 'lines', 'of'],
    rows.map(({ name, repeats }) => {
      const of = repeats.flatMap((m) => Object.entries(m.warnings));
      return [name, of.reduce((n, [, lines]) => n + lines.length, 0), [...new Set(of.map(([who]) => who))].join(' ')];
    }),
  );

/** Text of all tables of the counting runs. @param {Measurement[]} measurements */
export function countingTables(measurements) {
  return [
    delays(measurements),
    ...measurements.flatMap((m) => [trips(m), stored(m), facts(m), statements(m), subjects(m)]),
  ].join('\n');
}

/** @param {Measurement} m */
function trips(m) {
  const turns = m.runs * m.turns;
  const databases = Object.keys(m.transactions ?? {});
  const statementsOf = (/** @type {string} */ database) =>
    (m.statements ?? []).filter((s) => s.database === database).reduce((total, s) => total + s.calls, 0);
  const rows = databases.map((database) => [
    database,
    ms((m.transactions?.[database] ?? 0) / turns),
    ms(statementsOf(database) / turns),
  ]);
  const totals = [sum(m.transactions ?? {}), databases.reduce((total, database) => total + statementsOf(database), 0)];
  return table(
    `${nameOf(m)} turns: transactions a turn (with those that only read) and statements (each a round trip), by database`,
    ['database', 'transactions', 'statements'],
    [...rows, ['all', ...totals.map((total) => ms(total / turns))]],
  );
}

/** @param {Measurement[]} measurements */
function delays(measurements) {
  const names = Object.keys(measurements[0]?.delayMaxMs ?? {});
  return table(
    'Longest event-loop delay, ms (to one millisecond)',
    ['turns', ...names],
    measurements.map((m) => [nameOf(m), ...names.map((name) => ms(m.delayMaxMs?.[name] ?? null))]),
  );
}

/** @param {Measurement} m */
function stored(m) {
  const turns = m.runs * m.turns;
  const tables = Object.entries(m.stored).filter(([, bytes]) => bytes !== 0);
  return table(
    `${nameOf(m)} turns: bytes stored by table, with indexes and TOAST`,
    ['table', 'KB', 'bytes a turn'],
    tables.sort(([, a], [, b]) => b - a).map(([name, bytes]) => [name, kb(bytes), whole(bytes / turns)]),
  );
}

/** @param {Measurement} m */
const facts = (m) =>
  table(
    `${nameOf(m)} turns: facts in the runtime's record`,
    ['fact', 'a turn', 'bytes each'],
    m.facts.map(({ kind, n, bytes }) => [kind, ms(n / (m.runs * m.turns)), whole(bytes / n)]),
  );

/** What happens less often in a turn is not shown; the JSON has it. */
const SHOWN_A_TURN = 0.05;

/** @param {Measurement} m */
const statements = (m) =>
  table(
    `${nameOf(m)} turns: statements, and the server's ms in them`,
    ['statement', 'a turn', 'ms a turn'],
    (m.statements ?? [])
      .filter(({ calls }) => calls / (m.runs * m.turns) >= SHOWN_A_TURN)
      .map(({ database, query, calls, ms: took }) => [
        `${database}: ${query.replace(/\s+/g, ' ').slice(0, 90)}`,
        ms(calls / (m.runs * m.turns)),
        (took / (m.runs * m.turns)).toFixed(3),
      ]),
  );

/** @param {Measurement} m */
const subjects = (m) =>
  table(
    `${nameOf(m)} turns: NATS messages by subject; a fact counts when it is sent and at each delivery`,
    ['subject', 'a turn'],
    Object.entries(m.subjects ?? {})
      .sort(([, a], [, b]) => b - a)
      .filter(([, n]) => n / (m.runs * m.turns) >= SHOWN_A_TURN)
      .map(([subject, n]) => [subject, ms(n / (m.runs * m.turns))]),
  );

/** @param {number | null} value */
const ms = (value) => (value === null ? null : value.toFixed(2));
/** @param {number | null} value */
const kb = (value) => (value === null ? null : (value / 1000).toFixed(1));
/** @param {number | null} value */
const whole = (value) => (value === null ? null : value.toFixed(0));
