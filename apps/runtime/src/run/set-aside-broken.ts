/**
 * A run whose record cannot be read any more (L15): it cannot go on and must not be claimed for ever. Its budget and its
 * report are closed by the run's id alone, and its last facts follow the head that its row names, so that the record says
 * how it ended; the place that is broken stays as it is, for a check to find.
 */
import { close as closeBudget } from '@waymark/contracts/budget';
import { close as closeReport } from '@waymark/contracts/publication';
import { askOwner, type Asked, type Bus } from '@waymark/messaging';
import type { Claim, NewRow, RecordStore } from '@waymark/persistence/holder';
import { encodeFact, genesisHash, linkHash, type RecordFact } from '@waymark/record';
import type { Logger } from '@waymark/telemetry';
import { ENDING_STEPS } from '../core/decide-ending.js';
import { sha256 } from './sha256.js';

const TRY_MS = 3_000;
const STEP_MS = 10_000;
const END = {
  outcome: 'failed',
  code: 'record_broken',
  reason: 'The run was set aside: its record cannot be read. The report holds what was published until then.',
} as const;

export interface SetAside {
  readonly bus: Bus;
  readonly records: RecordStore;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Throws when an owner is away: the next claim, after this lease, tries again. */
export async function setAsideBroken({ bus, records, logger, signal }: SetAside, claim: Claim, why: unknown) {
  const { id: run, epoch } = claim;
  logger.error({ run, claims: claim.claims, err: why }, 'set aside: its record cannot be read');
  const options = { tryMs: TRY_MS, untilMs: STEP_MS, signal };
  const closed = [
    await askOwner(bus, closeBudget, { run, epoch, reason: END.code }, options),
    await askOwner(bus, closeReport, { run, epoch, ...END, closing: null, gaps: [] }, options),
  ] satisfies Asked<unknown>[];
  for (const one of closed) {
    if (one.kind === 'away') throw new Error(`run ${run} cannot be set aside yet: ${one.error.message}`);
    if (one.kind === 'refused') logger.warn({ run, ...one.error }, 'nothing to close at an owner');
  }
  const view = JSON.stringify({ phase: 'ended', endedAt: new Date().toISOString(), ...END });
  const appended = await records.append({
    ...{
      id: run,
      run,
      epoch,
      seq: claim.seq,
      rows: rowsAfter(claim),
      bodies: [],
      messages: [],
      unlessCancelled: false,
    },
    patch: { state: 'ended', release: true, view },
  });
  logger.info({ run, epoch, appended }, 'run set aside');
}

function rowsAfter({ id, epoch, seq, head }: Claim): NewRow[] {
  const facts: RecordFact[] = [
    { type: 'RunEnding', ...END, closing: null, gaps: [] },
    ...ENDING_STEPS.map((step) => ({ type: 'EndingStepDone', step }) as const),
    { type: 'RunEnded', outcome: END.outcome, code: END.code },
  ];
  let hash: Uint8Array = head ?? genesisHash(sha256, id);
  return facts.map((fact, i) => {
    const body = encodeFact(fact);
    hash = linkHash(sha256, hash, { seq: seq + 1 + i, epoch, kind: fact.type, body });
    return { kind: fact.type, body, hash, told: true };
  });
}
