import { MAX_BLOCKS } from '@waymark/contracts/publication';
import { citation, opened, withBlock, writeRequest } from '../../test/given.js';
import { decideClose } from './decide-close.js';
import { decideWrite } from './decide-write.js';
import { closeRequest } from '../../test/given.js';
import { refuseLargeBlock } from './refusals.js';
import { findBlock } from './report-state.js';

describe('deciding a write', () => {
  it('P1: a first section is published at once, whatever else is missing, and costs no revision', () => {
    const { reply, facts } = decideWrite(opened(), writeRequest({ citations: [citation()] }), null);
    expect(facts).toMatchObject([{ type: 'BlockPublished', block: 'output', version: 1, bytes: 26 }]);
    expect(reply).toMatchObject({ outcome: 'written', repeated: false, version: 1, refusal: null });
    expect(reply.snapshot).toMatchObject({ version: 1, revisions: { limit: 8, used: 0, left: 8 } });
    expect(reply.snapshot.blocks).toMatchObject([{ citations: 1, revisions: { limit: 2, used: 0, left: 2 } }]);
  });

  it('F-P1, P2: correcting section 3 replaces it in its place, without a second copy, and the map shows the whole report', () => {
    const state = ['one', 'two', 'three', 'four'].reduce((s, block) => withBlock(s, block), opened());
    const request = writeRequest({ block: 'three', expectVersion: 1, title: 'Three, right' });
    const { reply, facts } = decideWrite(state, request, null);
    expect(facts).toMatchObject([{ type: 'BlockCorrected', block: 'three', version: 2 }]);
    expect(reply.snapshot.blocks.map(({ block, version, title }) => [block, version, title])).toEqual([
      ['one', 1, 'Output'],
      ['two', 1, 'Output'],
      ['three', 2, 'Three, right'],
      ['four', 1, 'Output'],
    ]);
  });

  it('P3: each later version costs one revision of its block and one of the run', () => {
    const state = withBlock(withBlock(opened(), 'a', 3), 'b', 2);
    const { snapshot } = decideWrite(state, writeRequest({ block: 'c' }), null).reply;
    expect(snapshot.revisions).toEqual({ limit: 8, used: 3, left: 5 });
    expect(snapshot.blocks.map(({ revisions }) => revisions.left)).toEqual([0, 1, 2]);
  });

  it.each([
    ['block', { perBlock: 0, perRun: 8 }, 'block_revisions_exhausted'],
    ['run', { perBlock: 2, perRun: 0 }, 'run_revisions_exhausted'],
  ])('P3: 0 revisions for the %s means 0', (_name, revisions, code) => {
    const state = withBlock(opened({ revisions }), 'a');
    const { reply, facts } = decideWrite(state, writeRequest({ block: 'a', expectVersion: 1 }), null);
    expect(reply).toMatchObject({ outcome: 'refused', version: 1, refusal: { code } });
    expect(facts).toEqual([]);
  });

  it('P4: a block at its limit stays published while other blocks are corrected and new ones added', () => {
    const state = withBlock(withBlock(opened(), 'full', 3), 'other');
    const refused = decideWrite(state, writeRequest({ block: 'full', expectVersion: 3 }), null);
    expect(refused.reply).toMatchObject({ version: 3, refusal: { code: 'block_revisions_exhausted' } });
    expect(refused.reply.refusal?.message).toBe(
      'block "full" has used 2 of its 2 revisions; version 3 stays published',
    );
    expect(findBlock(refused.after, 'full')).toMatchObject({ version: 3 });
    for (const request of [
      writeRequest({ block: 'other', expectVersion: 1 }),
      writeRequest({ block: 'new', expectVersion: 0 }),
    ]) {
      expect(decideWrite(refused.after, request, null).reply.outcome).toBe('written');
    }
    expect(decideClose(refused.after, closeRequest()).reply.outcome).toBe('closed');
  });

  it('P5: a key that was carried out is answered with its own version, also after later versions and after the close', () => {
    const corrected = withBlock(opened(), 'output', 2);
    const closed = decideClose(corrected, closeRequest()).after;
    for (const state of [corrected, closed]) {
      const { reply, facts } = decideWrite(state, writeRequest(), { made: { block: 'output', version: 1 } });
      expect(reply).toMatchObject({ outcome: 'written', repeated: true, version: 1, refusal: null });
      expect(facts).toEqual([]);
    }
  });

  it('F-X3, P5: an epoch below one already seen is refused, also for a key that was carried out', () => {
    const state = withBlock(opened({ epoch: 2 }), 'output');
    for (const seen of [null, { made: { block: 'output', version: 1 } }]) {
      const { reply, after, facts } = decideWrite(state, writeRequest({ epoch: 1, expectVersion: 1 }), seen);
      expect(reply).toMatchObject({ outcome: 'refused', refusal: { code: 'fenced' } });
      expect(facts).toEqual([]);
      expect(after).toEqual(state);
    }
  });

  it('P5: a higher epoch is remembered, even when its write is refused', () => {
    const state = withBlock(opened(), 'output');
    const refused = decideWrite(state, writeRequest({ epoch: 5 }), null);
    expect(refused.reply.refusal?.code).toBe('block_exists');
    expect(refused.after.epoch).toBe(5);
    const late = decideWrite(refused.after, writeRequest({ epoch: 4, expectVersion: 1 }), null);
    expect(late.reply.refusal?.code).toBe('fenced');
  });

  it('P5: a closed report refuses every new write', () => {
    const closed = decideClose(withBlock(opened(), 'output'), closeRequest()).after;
    for (const request of [writeRequest({ expectVersion: 1 }), writeRequest({ block: 'new' })]) {
      expect(decideWrite(closed, request, null)).toMatchObject({
        facts: [],
        reply: { outcome: 'refused', refusal: { code: 'report_closed' } },
      });
    }
  });

  it.each([
    ['block_exists', 'output', 0],
    ['version_mismatch', 'output', 1],
    ['version_mismatch', 'output', 3],
    ['unknown_block', 'elsewhere', 1],
  ])('P5: a mismatch is the value %s and costs no revision (%s, expecting %d)', (code, block, expectVersion) => {
    const state = withBlock(opened(), 'output', 2);
    const { reply, after, facts } = decideWrite(state, writeRequest({ block, expectVersion }), null);
    expect(reply).toMatchObject({ outcome: 'refused', refusal: { code } });
    expect(facts).toEqual([]);
    expect(after).toEqual(state);
  });

  it('P5: a mismatch at an exhausted quota is called a mismatch, so that the caller looks before it gives up', () => {
    const state = withBlock(opened({ revisions: { perBlock: 0, perRun: 0 } }), 'output');
    expect(decideWrite(state, writeRequest({ expectVersion: 7 }), null).reply.refusal?.code).toBe('version_mismatch');
  });

  it('P4: a report with all its blocks still takes corrections', () => {
    const full = Array.from({ length: MAX_BLOCKS }, (_, i) => `b${i}`).reduce((s, b) => withBlock(s, b), opened());
    expect(decideWrite(full, writeRequest({ block: 'more' }), null).reply.refusal?.code).toBe('too_many_blocks');
    expect(decideWrite(full, writeRequest({ block: 'b7', expectVersion: 1 }), null).reply.outcome).toBe('written');
  });

  it('P6: a failed citation is counted for itself and does not take its block with it', () => {
    const citations = [citation(), citation({ status: 'failed', reason: 'unknown_locator', quote: null })];
    const { reply } = decideWrite(opened(), writeRequest({ citations }), null);
    expect(reply.outcome).toBe('written');
    expect(reply.snapshot.blocks).toMatchObject([{ citations: 2, failedCitations: 1 }]);
  });

  it('P5: a text over the limit is a coded error that names size and limit in UTF-8 bytes', () => {
    expect(refuseLargeBlock(32 * 1024)).toBeNull();
    expect(refuseLargeBlock(32 * 1024 + 1)).toMatchObject({
      code: 'block_too_large',
      message: 'the text has 32769 bytes of UTF-8; a block holds 32768',
      field: 'text',
    });
  });
});
