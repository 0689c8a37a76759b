import { Book, completed, failed, notSent, unknown } from '../../test/book.js';

const FREE = { used: 0, reserved: 0, unknown: 0 };

describe('B3, B14: what a settlement does to the counts', () => {
  it('B2: a grant reserves one explore and one physical request', () => {
    const book = new Book();
    book.granted('explore');
    expect(book.snapshot()).toMatchObject({
      explore: { limit: 40, used: 0, reserved: 1, unknown: 0, left: 39 },
      physical: { limit: 86, used: 0, reserved: 1, unknown: 0, left: 85 },
      finish: { ...FREE, left: 2 },
      purposes: { explore: 1, finish: 0, summarize: 0, review: 0 },
    });
  });

  it.each([
    ['completed', 'explore', completed, { used: 1 }, { used: 1 }],
    ['failed after content', 'explore', (r: string) => failed(r, true), { used: 1 }, { used: 1 }],
    ['failed before content', 'explore', (r: string) => failed(r, false), {}, { used: 1 }],
    ['unknown', 'explore', unknown, { unknown: 1 }, { unknown: 1 }],
    ['not sent', 'explore', notSent, {}, {}],
    ['completed', 'finish', completed, { used: 1 }, { used: 1 }],
    ['failed before content', 'finish', (r: string) => failed(r, false), {}, { used: 1 }],
    ['unknown', 'finish', unknown, { unknown: 1 }, { unknown: 1 }],
    ['completed', 'summarize', completed, {}, { used: 1 }],
    ['failed before content', 'review', (r: string) => failed(r, false), {}, { used: 1 }],
    ['not sent', 'review', notSent, {}, {}],
  ] as const)('B14: %s, purpose %s', (_, purpose, how, own, physical) => {
    const book = new Book();
    const reservation = book.granted(purpose);
    expect(book.settle([how(reservation)]).settled[0]?.result).toBe('settled');
    const { counts } = book.ledger;
    const main = purpose === 'explore' || purpose === 'finish' ? purpose : 'explore';
    expect(counts[main]).toEqual({ ...FREE, ...own });
    expect(counts.physical).toEqual({ ...FREE, ...physical });
    expect(book.ledger.purposes[purpose]).toBe(how === notSent ? 0 : 1);
  });

  it('B3: a reservation settles once: the same again changes nothing, another outcome is refused', () => {
    const book = new Book();
    const reservation = book.granted();
    book.settle([failed(reservation, true)]);
    const { version } = book.ledger;
    const answers = [
      failed(reservation, true),
      failed(reservation, false),
      completed(reservation),
      unknown(reservation),
    ];
    const { settled } = book.settle([...answers, notSent(reservation)]);
    expect(settled.map(({ result }) => result)).toEqual([
      'repeated',
      ...Array.from({ length: 4 }, () => 'contradicts'),
    ]);
    expect(settled.every(({ outcome }) => outcome === 'failed')).toBe(true);
    expect(book.ledger.version).toBe(version);
  });

  it('B3: one command that settles twice settles once', () => {
    const book = new Book();
    const reservation = book.granted();
    const { settled } = book.settle([completed(reservation), completed(reservation), unknown(reservation)]);
    expect(settled.map(({ result }) => result)).toEqual(['settled', 'repeated', 'contradicts']);
    expect(book.ledger.counts.physical).toEqual({ ...FREE, used: 1 });
  });

  it('B3: proof turns unknown into its class once, from any epoch, and gives nothing back', () => {
    const book = new Book();
    const reservation = book.granted();
    book.settle([unknown(reservation)]);
    book.takeOver(5);
    const { left } = book.snapshot().explore;
    expect(book.settle([failed(reservation, false)], [], 'run', 1).settled[0]).toEqual({
      reservation,
      result: 'proved',
      outcome: 'failed',
    });
    expect(book.ledger.counts).toMatchObject({ explore: { ...FREE, used: 1 }, physical: { ...FREE, used: 1 } });
    expect(book.snapshot().explore.left).toBe(left);
    const again = book.settle([failed(reservation, false), unknown(reservation), completed(reservation)]).settled;
    expect(again.map(({ result }) => result)).toEqual(['repeated', 'repeated', 'contradicts']);
  });

  it('B3: not sent is no proof for what was settled as unknown', () => {
    const book = new Book();
    const reservation = book.granted();
    book.settle([unknown(reservation)]);
    expect(book.settle([notSent(reservation)]).settled[0]?.result).toBe('contradicts');
  });

  it('B3: a reservation of nobody or of another holder is unknown here', () => {
    const book = new Book();
    const reservation = book.granted('review', { holder: 'review:a' });
    expect(book.settle([completed(reservation), completed('zz'), completed('../x')]).settled).toEqual(
      [reservation, 'zz', '../x'].map((name) => ({ reservation: name, result: 'unknown_reservation', outcome: null })),
    );
  });

  it('F-B7: a stream that died, then a good attempt: two requests, the first unknown', () => {
    const book = new Book();
    const first = book.granted();
    const { grant } = book.reserve('explore', { settlements: [unknown(first)] });
    book.settle([completed(grant?.reservation ?? '')]);
    expect(book.ledger.counts.physical).toEqual({ used: 1, reserved: 0, unknown: 1 });
    expect(book.ledger.counts.explore).toEqual({ used: 1, reserved: 0, unknown: 1 });
  });

  it('F-B9, F-B12: a 429 costs a physical request only; tokens and cost stay null', () => {
    const book = new Book();
    book.settle([failed(book.granted(), false)]);
    expect(book.ledger.counts).toMatchObject({ explore: FREE, physical: { ...FREE, used: 1 } });
    expect(Object.values(book.snapshot().usage)).toEqual([null, null, null, null]);
  });

  it('F-B13: an empty answer that was cut by its length is charged, and the finish still happens', () => {
    const book = new Book({ finishRequests: 2 });
    book.settle([failed(book.granted('finish'), true, 'length')]);
    expect(book.ledger.counts.finish).toEqual({ ...FREE, used: 1 });
    expect(book.reserve('finish').outcome).toBe('granted');
  });

  it('L12: what is unknown stays charged under a new key, epoch, holder or phase', () => {
    const book = new Book({ exploreRequests: 1 });
    book.settle([unknown(book.granted())]);
    book.takeOver(2);
    expect(book.reserve('explore', { epoch: 2 }).refusal).toMatchObject({ code: 'explore_exhausted', unknown: 1 });
    expect(book.reserve('finish', { epoch: 2 }).snapshot).toMatchObject({
      phase: 'finishing',
      explore: { unknown: 1, left: 0 },
      physical: { unknown: 1, reserved: 1 },
    });
  });
});

describe('B13: usage', () => {
  const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: null, costMicros: null };

  it('B13: totals are sums of what was reported, field by field', () => {
    const book = new Book();
    book.settle([completed(book.granted(), { usage })]);
    book.settle([completed(book.granted(), { usage: { ...usage, cachedInputTokens: 0 } })]);
    book.settle([completed(book.granted())]);
    expect(book.snapshot().usage).toEqual({
      inputTokens: 200,
      outputTokens: 40,
      cachedInputTokens: 0,
      costMicros: null,
    });
  });

  it("B13: a proof's usage takes the place of what the unknown settlement had counted", () => {
    const book = new Book();
    const reservation = book.granted();
    book.settle([unknown(reservation, { usage: { ...usage, outputTokens: null } })]);
    expect(book.snapshot().usage).toMatchObject({ inputTokens: 100, outputTokens: null });
    book.settle([completed(reservation, { usage: { ...usage, inputTokens: 120 } })]);
    expect(book.snapshot().usage).toMatchObject({ inputTokens: 120, outputTokens: 20 });
  });
});
