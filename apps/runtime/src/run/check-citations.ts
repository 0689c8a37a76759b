/** Whether each citation names a locator and range that exist (P6): a citation fails for itself, never its block. */
import { checkRanges } from '@waymark/contracts/sources';
import type { Citation } from '@waymark/contracts/publication';
import { cutAtCharacter } from '@waymark/record';
import { askOwner } from '@waymark/messaging';
import { findCall, findReceipt } from './find-action.js';
import type { RunContext } from './run-context.js';

interface Given {
  readonly locator: string;
  readonly start: number;
  readonly end: number;
}

/** Bytes of a cited result that are quoted at most. */
const QUOTE_BYTES = 600;
/** Results that bear evidence; a note, a review or a write is none. */
const EVIDENCE = new Set(['list_sources', 'search', 'read_range', 'read_back', 'calculate']);
const SHAPE = /^(doc|result):[A-Za-z0-9._-]{1,120}$/;

export async function checkCitations(c: RunContext, given: readonly Given[], ms: number): Promise<Citation[]> {
  const documents = given.filter((g) => /^doc:[A-Za-z0-9._-]{1,120}$/.test(g.locator));
  const checked =
    documents.length === 0
      ? null
      : await askOwner(
          c.platform.bus,
          checkRanges,
          { corpus: c.admitted.corpus, ranges: documents.map(({ locator, start, end }) => ({ locator, start, end })) },
          { tryMs: ms, untilMs: ms, signal: c.signal },
        );
  const out: Citation[] = [];
  for (const g of given) {
    if (!SHAPE.test(g.locator))
      out.push(failedCitation({ ...g, locator: 'doc:unknown' }, `not_a_source: ${g.locator.slice(0, 100)}`));
    else if (g.locator.startsWith('result:')) out.push(await checkResult(c, g));
    else if (checked?.kind !== 'answered')
      out.push(failedCitation(g, checked?.kind === 'refused' ? `not_checked: ${checked.error.code}` : 'sources_away'));
    else {
      const result = checked.value.results[documents.indexOf(g)];
      if (result?.status === 'ok') {
        const { name, quote, label, context } = result;
        const place = { ...(label === undefined ? {} : { label }), ...(context === undefined ? {} : { context }) };
        out.push({ ...g, name, quote, status: 'ok', reason: null, ...place });
      } else {
        const total = result?.total ?? null;
        out.push(
          failedCitation(
            g,
            total === null
              ? (result?.status ?? 'unknown_locator')
              : `${result?.status ?? 'range_outside'}: the text has ${total} bytes`,
          ),
        );
      }
    }
  }
  return out;
}

async function checkResult(c: RunContext, g: Given): Promise<Citation> {
  const receipt = await findReceipt(c, g.locator);
  if (!receipt) return failedCitation(g, 'unknown_locator');
  const tool = (await findCall(c, receipt.action))?.name;
  if (tool !== undefined && !EVIDENCE.has(tool)) return failedCitation(g, `not_a_source: a result of ${tool}`);
  if (g.end <= g.start || g.end > receipt.result.bytes) {
    return failedCitation(g, `range_outside: the result has ${receipt.result.bytes} bytes`);
  }
  await c.bodies.load([receipt.result]);
  const bytes = c.bodies.get(receipt.result).subarray(g.start, g.end);
  const quote = new TextDecoder().decode(bytes.subarray(0, cutAtCharacter(bytes, QUOTE_BYTES)));
  return { ...g, name: receipt.title.slice(0, 300), quote, status: 'ok', reason: null };
}

const failedCitation = (g: Given, reason: string): Citation => ({
  locator: g.locator,
  start: g.start,
  end: g.end,
  name: null,
  quote: null,
  status: 'failed',
  reason: reason.slice(0, 300),
});
