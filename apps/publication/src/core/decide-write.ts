/**
 * Whether a block is written (P2–P5). Checked in this order:
 *
 * 1. an epoch below one already seen is refused;
 * 2. a key that was carried out before is answered with the version that it made, also after the close:
 *    the same write twice is one version;
 * 3. a closed report is refused;
 * 4. the version expected must be the current one (0: no such block yet); a mismatch costs nothing;
 * 5. a first version costs no revision, each later one costs one of the block's and one of the run's.
 *
 * A refusal is not remembered under its key.
 */
import { MAX_BLOCKS, type writeBlock, type WriteRefusal } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { applyAll, isFenced, rememberEpoch, type Decision } from './decision.js';
import type { Fact } from './fact.js';
import {
  blockExists,
  blockRevisionsExhausted,
  fenced,
  reportClosed,
  runRevisionsExhausted,
  tooManyBlocks,
  unknownBlock,
  versionMismatch,
} from './refusals.js';
import { findBlock, revisionsUsed, runRevisionsUsed, type KeyedEntry, type ReportState } from './report-state.js';
import { snapshotOf } from './snapshot-of.js';
import { utf8Bytes } from './utf8-bytes.js';

type WriteRequest = ParsedRequestOf<typeof writeBlock>;
type WriteReply = ReplyOf<typeof writeBlock>;

export function decideWrite(before: ReportState, request: WriteRequest, seen: KeyedEntry | null): Decision<WriteReply> {
  const state = rememberEpoch(before, request.epoch);
  if (isFenced(state, request.epoch)) return refused(state, request, fenced(state, request.epoch));
  if (seen?.made) return repeated(state, seen.made);
  const refusal = state.closed ? reportClosed() : (refuseVersion(state, request) ?? refuseQuota(state, request));
  return refusal ? refused(state, request, refusal) : written(state, request);
}

function refuseVersion(state: ReportState, { block, expectVersion }: WriteRequest): WriteRefusal | null {
  const entry = findBlock(state, block);
  if (!entry) return expectVersion === 0 ? null : unknownBlock(block);
  if (expectVersion === 0) return blockExists(entry);
  return expectVersion === entry.version ? null : versionMismatch(entry, expectVersion);
}

function refuseQuota(state: ReportState, { block }: WriteRequest): WriteRefusal | null {
  const entry = findBlock(state, block);
  if (!entry) return state.blocks.length < MAX_BLOCKS ? null : tooManyBlocks();
  if (revisionsUsed(entry) >= state.quotas.perBlock) return blockRevisionsExhausted(state, entry);
  return runRevisionsUsed(state) >= state.quotas.perRun ? runRevisionsExhausted(state) : null;
}

function written(state: ReportState, request: WriteRequest): Decision<WriteReply> {
  const { key, block, expectVersion, title, text, citations, reason } = request;
  const version = expectVersion + 1;
  const type = version === 1 ? 'BlockPublished' : 'BlockCorrected';
  const facts: Fact[] = [{ type, key, block, version, title, text, bytes: utf8Bytes(text), citations, reason }];
  const after = applyAll(state, facts);
  const reply = { outcome: 'written', repeated: false, block, version, refusal: null } as const;
  return { facts, after, reply: { ...reply, snapshot: snapshotOf(after) } };
}

function repeated(state: ReportState, made: NonNullable<KeyedEntry['made']>): Decision<WriteReply> {
  const reply = { outcome: 'written', repeated: true, ...made, refusal: null } as const;
  return { facts: [], after: state, reply: { ...reply, snapshot: snapshotOf(state) } };
}

function refused(state: ReportState, { block }: WriteRequest, refusal: WriteRefusal): Decision<WriteReply> {
  const version = findBlock(state, block)?.version ?? null;
  const reply = { outcome: 'refused', repeated: false, block, version, refusal } as const;
  return { facts: [], after: state, reply: { ...reply, snapshot: snapshotOf(state) } };
}
