import { closeRequest, noteRequest, opened, openRequest, withBlock } from '../../test/given.js';
import { decideClose } from './decide-close.js';
import { decideNote } from './decide-note.js';
import { decideOpen } from './decide-open.js';
import { decideShown } from './decide-shown.js';
import { snapshotOf } from './snapshot-of.js';

describe('opening, noting and closing', () => {
  it('P3: opening again reads the report with the quotas that it was opened with', () => {
    const state = withBlock(opened(), 'output');
    const again = decideOpen(state, openRequest({ revisions: { perBlock: 9, perRun: 99 }, epoch: 3 }));
    expect(again).toMatchObject({ facts: [], reply: { created: false } });
    expect(again.reply.snapshot).toMatchObject({ version: 1, epoch: 3, revisions: { limit: 8 } });
    expect(decideOpen(again.after, openRequest({ epoch: 2 })).reply.snapshot.epoch).toBe(3);
  });

  it('P10: a progress note makes no block, costs no revision and moves no version', () => {
    const state = withBlock(opened(), 'output', 2);
    const { reply, facts, after } = decideNote(state, noteRequest(), null);
    expect(reply).toEqual({ outcome: 'noted', repeated: false, refusal: null });
    expect(facts).toMatchObject([{ type: 'ProgressNoted', text: 'reading the second table' }]);
    expect(snapshotOf(after)).toEqual(snapshotOf(state));
  });

  it('P10: the same note twice is one fact, an old epoch and a closed report refuse it', () => {
    const state = opened({ epoch: 2 });
    const again = decideNote(state, noteRequest({ epoch: 2 }), { made: null });
    expect(again).toMatchObject({ facts: [], reply: { outcome: 'noted', repeated: true } });
    expect(decideNote(state, noteRequest({ epoch: 1 }), null)).toMatchObject({
      facts: [],
      reply: { outcome: 'refused', refusal: { code: 'fenced' } },
    });
    const closed = decideClose(state, closeRequest({ epoch: 2 })).after;
    expect(decideNote(closed, noteRequest({ epoch: 2 }), null)).toMatchObject({
      facts: [],
      reply: { outcome: 'refused', refusal: { code: 'report_closed' } },
    });
  });

  it('L10: closing again, by whoever, reads the first close', () => {
    const first = decideClose(
      withBlock(opened({ epoch: 2 }), 'output'),
      closeRequest({ epoch: 2, outcome: 'partial' }),
    );
    expect(first).toMatchObject({
      reply: { outcome: 'closed' },
      facts: [{ type: 'ReportClosed', outcome: 'partial' }],
    });
    for (const epoch of [1, 2, 3]) {
      const again = decideClose(first.after, closeRequest({ epoch, outcome: 'completed' }));
      expect(again).toMatchObject({ facts: [], reply: { outcome: 'already_closed' } });
      expect(again.reply.snapshot.version).toBe(2);
    }
  });

  it('L10: an owner that was fenced off cannot close the report of its successor', () => {
    const { reply, facts } = decideClose(opened({ epoch: 2 }), closeRequest({ epoch: 1 }));
    expect(reply).toMatchObject({ outcome: 'fenced', snapshot: { closed: false } });
    expect(facts).toEqual([]);
  });

  it('P7: closing takes nothing away that was published', () => {
    const state = withBlock(withBlock(opened(), 'a', 2), 'b');
    const { snapshot } = decideClose(state, closeRequest({ outcome: 'failed', code: 'model_unusable' })).reply;
    expect(snapshot.blocks).toEqual(snapshotOf(state).blocks);
  });

  it('P8: a version shown to a viewer is one record, however often it is looked at', () => {
    const shown = { viewer: 'ann', version: 1 };
    const state = withBlock(opened(), 'output');
    expect(decideShown(state, shown, false).facts).toEqual([{ type: 'ReportShown', ...shown }]);
    expect(decideShown(state, shown, true).facts).toEqual([]);
    expect(decideShown(state, shown, false).after).toEqual(state);
  });
});
