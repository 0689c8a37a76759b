import { Book, completed, failed, MINUTE, notSent, ran, unknown } from '../../test/book.js';
import { decideOpen } from './decide-open.js';

describe('B1: every limit in a unit of its own', () => {
  it('B1: what is left of each is its own limit less its own use; none is worked out of another', () => {
    const limits = { activeMs: 10 * MINUTE, wallMs: 15 * MINUTE, userDeadlineMs: 20 * MINUTE, outputMs: MINUTE };
    const book = new Book({ ...limits, exploreRequests: 5, finishRequests: 2, physicalRequests: 30 });
    book.granted();
    book.pass(MINUTE);
    const { snapshot } = book.reserve('explore');
    for (const name of ['active', 'wall', 'user'] as const) {
      const time = snapshot[name];
      expect([name, time?.leftMs]).toEqual([name, (time?.limitMs ?? 0) - (time?.usedMs ?? 0)]);
    }
    expect(snapshot.wall.leftMs).toBe(14 * MINUTE);
    expect(snapshot.user?.leftMs).toBe(19 * MINUTE);
    for (const name of ['explore', 'finish', 'physical'] as const) {
      const { limit, used, reserved, unknown: lost, left } = snapshot[name];
      expect([name, left]).toEqual([name, limit - used - reserved - lost]);
    }
    expect([snapshot.explore.left, snapshot.finish.left, snapshot.physical.left]).toEqual([3, 2, 28]);
  });
});

describe('B2: one key, one reservation', () => {
  it('B2: asked again while open, the same reservation comes back with the time that is left', () => {
    const book = new Book();
    const first = book.reserve('explore', { key: 'run/1/a' }).grant;
    book.pass(5_000);
    const again = book.reserve('explore', { key: 'run/1/a' });
    expect(again.grant).toEqual({ ...first, leftMs: (first?.leftMs ?? 0) - 5_000 });
    expect(again.snapshot.physical.reserved).toBe(1);
  });

  it('B2: asked again after it settled, the reservation says how it ended and nothing new is granted', () => {
    const book = new Book();
    const { grant } = book.reserve('explore', { key: 'run/1/a' });
    book.settle([failed(grant?.reservation ?? '', false)]);
    const again = book.reserve('explore', { key: 'run/1/a' });
    expect(again.grant).toMatchObject({ reservation: grant?.reservation, settled: 'failed' });
    expect(again.snapshot.physical).toMatchObject({ reserved: 0, used: 1 });
  });

  it('B2: a refusal is not remembered under its key', () => {
    const book = new Book({ exploreRequests: 1 });
    const reservation = book.granted();
    expect(book.reserve('explore', { key: 'run/1/b' }).outcome).toBe('refused');
    book.settle([notSent(reservation)]);
    expect(book.reserve('explore', { key: 'run/1/b' }).outcome).toBe('granted');
  });

  it.each(['run/2/a', 'run/11/a', 'review:x/1/a', 'run/1', 'a'])(
    'B2: the key %s does not belong to epoch 1 of run',
    (key) => {
      const book = new Book();
      expect(book.reserve('explore', { key }).refusal).toMatchObject({ code: 'key_mismatch', limit: null });
    },
  );

  it('B2, B3: the settlement stands also beside a refusal', () => {
    const book = new Book({ exploreRequests: 1 });
    const reservation = book.granted();
    const answer = book.reserve('explore', { settlements: [completed(reservation)] });
    expect(answer.refusal?.code).toBe('explore_exhausted');
    expect(answer.settled).toEqual([{ reservation, result: 'settled', outcome: 'completed' }]);
    expect(answer.snapshot.explore).toMatchObject({ used: 1, reserved: 0 });
  });
});

describe('B4: exploration cannot eat the ending', () => {
  it('B4: explore stops where the finish reserve of physical requests begins, finish goes on', () => {
    const book = new Book({ physicalRequests: 8, finishReserve: 6 });
    book.granted();
    book.granted();
    expect(book.reserve('explore').refusal).toMatchObject({
      code: 'finish_reserve_kept',
      limit: 'physicalRequests',
      size: 8,
      reserved: 2,
      possible: ['finish'],
    });
    expect(book.reserve('finish').outcome).toBe('granted');
  });

  it.each(['summarize', 'review'] as const)('B4: %s leaves one main request beside the finish reserve', (purpose) => {
    const book = new Book({ physicalRequests: 9, finishReserve: 6 });
    book.granted();
    expect(book.reserve(purpose).refusal?.code).toBeUndefined();
    expect(book.reserve(purpose).refusal).toMatchObject({ code: 'main_request_kept', limit: 'physicalRequests' });
    book.granted();
    expect(book.reserve(purpose).refusal?.code).toBe('finish_reserve_kept');
  });

  it('B4: without an explore request left there is no summary and no review', () => {
    const book = new Book({ exploreRequests: 1 });
    book.settle([completed(book.granted())]);
    expect(book.reserve('review').refusal).toMatchObject({
      code: 'main_request_kept',
      limit: 'exploreRequests',
      used: 1,
    });
  });

  it('B4: deadlines of all but finish are cut at the nearest limit minus the output time', () => {
    const book = new Book({ activeMs: 20 * MINUTE, wallMs: 15 * MINUTE, outputMs: 2 * MINUTE, userDeadlineMs: null });
    expect(book.reserve('explore').grant).toMatchObject({ leftMs: 13 * MINUTE, bound: 'wall' });
    const short = new Book({ userDeadlineMs: 10 * MINUTE, outputMs: 2 * MINUTE }, MINUTE);
    expect(short.reserve('review', { holder: 'review:a' }).grant).toMatchObject({ leftMs: 7 * MINUTE, bound: 'user' });
    short.pass(7 * MINUTE);
    expect(short.reserve('explore').refusal).toMatchObject({
      code: 'output_time_reached',
      limit: 'userDeadlineMs',
      unit: 'ms',
      size: 10 * MINUTE,
      used: 8 * MINUTE,
      reserved: 2 * MINUTE,
      phase: 'finishing',
      possible: ['finish'],
    });
  });

  it('B4: a finishing turn gets the time to the nearest limit divided by the finishing turns left', () => {
    const book = new Book({ finishRequests: 3, wallMs: 100 * MINUTE, activeMs: 60 * MINUTE });
    book.pass(88 * MINUTE);
    const { grant } = book.reserve('finish');
    expect(grant).toMatchObject({ leftMs: 4 * MINUTE, bound: 'wall' });
    book.pass(2 * MINUTE);
    const retry = book.reserve('finish', { settlements: [failed(grant?.reservation ?? '', false)] });
    expect(retry.grant?.leftMs).toBe((10 * MINUTE) / 3);
    book.settle([completed(retry.grant?.reservation ?? '')]);
    expect(book.reserve('finish').grant?.leftMs).toBe(5 * MINUTE);
  });

  it.each([
    ['active_time_over', { activeMs: 10 * MINUTE }],
    ['wall_time_over', { wallMs: 10 * MINUTE }],
    ['user_deadline_over', { userDeadlineMs: 10 * MINUTE }],
  ] as const)('B4: at the limit nothing is granted: %s', (code, limits) => {
    const book = new Book({ ...limits, outputMs: MINUTE });
    book.granted();
    book.pass(10 * MINUTE);
    expect(book.reserve('finish').refusal).toMatchObject({
      code,
      unit: 'ms',
      size: 10 * MINUTE,
      reserved: 0,
      possible: [],
    });
    expect(book.reserve('explore').refusal?.code).toBe('output_time_reached');
  });
});

describe('B10, B11: refusals and limits', () => {
  it('F-B3, B11: eight at once with six left: six start', () => {
    const book = new Book({ exploreRequests: 6 });
    const outcomes = Array.from({ length: 8 }, () => book.reserve().outcome);
    expect(outcomes.filter((outcome) => outcome === 'granted')).toHaveLength(6);
  });

  it('F-B5, B11: one request left and two callers: one starts', () => {
    const book = new Book({ physicalRequests: 1, finishReserve: 1, finishRequests: 2 });
    expect([book.reserve('finish').outcome, book.reserve('finish').refusal?.code]).toEqual([
      'granted',
      'physical_exhausted',
    ]);
  });

  it('F-B6, B10: a cap of ten that is used up is refused with its numbers, also after opening again', () => {
    const book = new Book({ exploreRequests: 10 });
    for (let i = 0; i < 9; i += 1) book.settle([completed(book.granted())]);
    book.settle([unknown(book.granted())]);
    expect(book.reserve('explore').refusal).toEqual({
      code: 'explore_exhausted',
      message: 'no explore request: all 10 explore requests are taken (9 used, 0 reserved, 1 unknown)',
      limit: 'exploreRequests',
      unit: 'requests',
      size: 10,
      used: 9,
      reserved: 0,
      unknown: 1,
      phase: 'finishing',
      possible: ['finish'],
    });
  });

  it('F-B1: explore limit 4 and one finish turn: four and one, then nothing', () => {
    const book = new Book({ exploreRequests: 4, finishRequests: 1 });
    for (let i = 0; i < 4; i += 1) book.settle([completed(book.granted())]);
    expect(book.reserve('explore').refusal?.phase).toBe('finishing');
    book.settle([completed(book.granted('finish'))]);
    expect(book.reserve('finish').refusal).toMatchObject({ code: 'finish_exhausted', size: 1, used: 1, possible: [] });
  });

  it('B10: the grant of the last exploring request still says exploring; a finish request ends exploring', () => {
    const book = new Book({ exploreRequests: 1 });
    const last = book.reserve('explore');
    expect(last.snapshot).toMatchObject({ phase: 'exploring', explore: { left: 0 } });
    book.settle([failed(last.grant?.reservation ?? '', false)]);
    expect(book.snapshot().phase).toBe('exploring');
    book.settle([notSent(book.granted('finish'))]);
    expect(book.snapshot().phase).toBe('finishing');
  });
});

describe('B15, L6: holders and the close', () => {
  it('B15: a lower epoch gets nothing any more; a higher one fences without a take-over', () => {
    const book = new Book();
    book.granted('explore', { epoch: 2 });
    expect(book.reserve('explore', { epoch: 1 }).refusal).toMatchObject({ code: 'fenced', possible: [] });
    expect(book.reserve('explore', { epoch: 3 }).outcome).toBe('granted');
    expect(book.takeOver(2).outcome).toBe('fenced');
    expect(book.reserve('explore', { epoch: 2, key: 'run/2/1' }).refusal?.code).toBe('fenced');
  });

  it('B15: holders are apart: a new owner of the run does not fence a review', () => {
    const book = new Book();
    book.takeOver(7);
    expect(book.reserve('review', { holder: 'review:a', epoch: 1 }).outcome).toBe('granted');
  });

  it('B15: the new owner learns what its holder has open and may settle it; the old one may not', () => {
    const book = new Book();
    const mine = book.granted();
    book.granted('review', { holder: 'review:a' });
    book.pass(3_000);
    expect(book.takeOver(2).open).toEqual([
      { reservation: mine, key: 'run/1/1', holder: 'run', epoch: 1, purpose: 'explore', grantedAgeMs: 3_000 },
    ]);
    expect(book.settle([completed(mine)], [], 'run', 1).settled[0]).toEqual({
      reservation: mine,
      result: 'fenced',
      outcome: null,
    });
    expect(book.settle([notSent(mine)], [], 'run', 2).settled[0]?.result).toBe('settled');
  });

  it('L2: settling under a higher epoch fences the older owner as well', () => {
    const book = new Book();
    const mine = book.granted();
    book.settle([unknown(mine)], [], 'run', 2);
    expect(book.reserve('explore', { epoch: 1 }).refusal?.code).toBe('fenced');
  });

  it('B15, L6, F-T3: after the close nothing is granted, whoever asks; what was granted is charged', () => {
    const book = new Book();
    const open = book.reserve('explore', { key: 'run/1/a' }).grant?.reservation ?? '';
    const review = book.granted('review', { holder: 'review:a' });
    expect(book.close().open.map(({ reservation }) => reservation)).toEqual([open, review]);
    const askers = [{}, { epoch: 9 }, { holder: 'review:a' }, { holder: 'review:new' }, { key: 'run/1/a' }];
    for (const who of askers) {
      for (const purpose of ['explore', 'finish', 'review', 'summarize'] as const) {
        expect(book.reserve(purpose, who).refusal).toMatchObject({
          code: 'closed',
          phase: 'closed',
          possible: ['settle'],
        });
      }
    }
    expect(book.settle([completed(open)], [], 'run', 9).settled[0]?.result).toBe('settled');
    expect(book.settle([unknown(review)], [], 'review:a').settled[0]?.result).toBe('settled');
    expect(book.ledger.counts.physical).toEqual({ used: 1, reserved: 0, unknown: 1 });
  });

  it('B15: closing again reads the same fact; a fenced owner does not close', () => {
    const book = new Book();
    book.takeOver(2);
    expect(book.close(1).outcome).toBe('fenced');
    expect(book.close(2).outcome).toBe('closed');
    const { version } = book.ledger;
    expect([book.close(2).outcome, book.close(1).outcome]).toEqual(['already_closed', 'already_closed']);
    expect(book.ledger.version).toBe(version);
  });

  it('B15: an owner that takes over after the close learns so, with what is still open', () => {
    const book = new Book();
    const open = book.granted();
    book.close();
    book.pass(30_000);
    const taken = book.takeOver(2, { heartbeatAgeMs: 25_000, leaseEndAgeMs: 10_000 });
    expect(taken).toMatchObject({
      outcome: 'closed',
      closedActivities: [{ reservation: open, knownMs: 5_000, unknownMs: 15_000 }],
    });
    expect(taken.open).toHaveLength(1);
  });
});

it('B7: opening again reads the same ledger, whatever the limits have become', () => {
  const book = new Book({ exploreRequests: 3 });
  const limits = { ...book.ledger.limits, exploreRequests: 99 };
  const command = { run: book.ledger.run, limits, policyVersion: 2, admittedAgeMs: 0 };
  const { reply, draft } = decideOpen(book.ledger, command, book.now);
  expect(reply).toMatchObject({ created: false, snapshot: { policyVersion: 1, explore: { limit: 3 } } });
  expect(draft.facts).toEqual([]);
});

it('B5: a request that was not sent takes its activity along', () => {
  const book = new Book();
  const reservation = book.granted();
  book.pass(10_000).settle([notSent(reservation)], [ran(reservation, [0, 9_000])]);
  expect(book.snapshot().active).toMatchObject({ usedMs: 0, running: false });
});
