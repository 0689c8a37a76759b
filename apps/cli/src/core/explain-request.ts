/** Everything about one request (E1): bytes by part, reminders with word and reason, reservation, deadlines, actions. */
import type { ExplainedRequest } from '@waymark/contracts/runtime';
import { bar } from './bars.js';
import type { KnownSettlement } from './settlement-of.js';
import { durationText, oneLine, table } from './words.js';

const SHARE_CELLS = 20;
const SOURCES: Readonly<Record<ExplainedRequest['noticeSource'], string>> = {
  reminder: 'composed by the reminder service',
  plain: 'plain numbers: the reminder service did not answer in time',
  quiet: 'none was due: every measurement lay below the next one of interest',
  none: 'none: this request is not one of the main model',
};

/** `settlement`: the budget's own word, null while the reservation is open. */
export function explainRequest(r: ExplainedRequest, settlement: KnownSettlement): string[] {
  const { deadlines: d } = r;
  return [
    `request ${r.request}: ${r.purpose}, turn ${r.turn}, attempt ${r.attempt} (fact ${r.seq} of the record, epoch ${r.epoch})`,
    `  sha-256      ${r.digest}`,
    `  outcome      ${r.outcome ?? 'none yet'}${r.code === null ? '' : ` (${r.code})`}`,
    `  usage        ${usageText(r.usage)}`,
    `  reservation  ${r.reservation}, granted at budget's version ${r.grantVersion}`,
    `  settlement   ${settlementText(settlement)}`,
    `  deadlines    first content ${durationText(d.firstContentMs)}, progress ${durationText(d.progressMs)}, total ${durationText(d.totalMs)}; with its actions ${durationText(d.leftMs)} left of the ${d.bound} limit`,
    `  size         ${r.bytes} bytes; content ${r.contentBytes} of the hard limit ${r.hardLimitBytes}`,
    ...partLines(r),
    `  reminders    ${SOURCES[r.noticeSource]}`,
    ...noticeLines(r),
    `  actions      ${r.actions.length === 0 ? 'none' : ''}`.trimEnd(),
    ...table(
      r.actions.map((a) => [
        a.tool,
        a.outcome ?? 'no receipt yet',
        a.bytes === null ? '' : `${a.bytes} bytes`,
        oneLine(a.action, 80),
      ]),
      new Set([2]),
    ).map((line) => `    ${line}`),
  ];
}

function partLines(r: ExplainedRequest): string[] {
  const rows = Object.entries(r.parts)
    .filter(([, bytes]) => bytes > 0)
    .map(([part, bytes]) => [
      part,
      String(bytes),
      bar({ name: part, limit: r.bytes, used: bytes, pending: 0, text: '' }, SHARE_CELLS, 'ascii'),
    ]);
  return table(rows, new Set([1])).map((line) => `    ${line}`);
}

function noticeLines(r: ExplainedRequest): string[] {
  return r.notices.flatMap((n) => [
    `    ${n.fate}: ${n.kind} ${n.type}, about ${oneLine(n.subject, 80)}, stage ${n.stage}; ${oneLine(n.reason, 300)}`,
    ...(n.text === null ? [] : [`      "${oneLine(n.text, 600)}"`]),
  ]);
}

function settlementText(settlement: KnownSettlement): string {
  if (!settlement) return 'open at the budget';
  const { outcome, by, code, proved, seq } = settlement;
  const proof = proved ? ', proven after it had been unknown' : '';
  return `${outcome}${code === null ? '' : ` (${code})`} by ${by === 'budget' ? 'the budget itself' : 'its holder'}${proof} (budget's fact ${seq})`;
}

function usageText(usage: unknown): string {
  if (typeof usage !== 'object' || usage === null) return 'not reported';
  const known = Object.entries(usage).filter(([, value]) => value !== null);
  return known.length === 0 ? 'not reported' : known.map(([name, value]) => `${name} ${String(value)}`).join(', ');
}
