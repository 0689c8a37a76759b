import { event, MAX_BODY_BYTES } from '@waymark/contracts/wire';
import { factRow, outboxInsertSql, outboxParams, outboxRow } from './outbox.js';

const fact = {
  owner: 'budget',
  run: '01923456-789a-7bcd-8ef0-123456789abc',
  seq: 7,
  at: new Date('2026-01-02T03:04:05.678Z'),
  name: 'ReservationGranted',
  data: { text: '中\u0000' },
};

describe('an outbox row', () => {
  it('of a fact is an event that stands under its cursor', () => {
    const row = factRow(fact);
    expect(row.subject).toBe(`waymark.facts.v1.budget.${fact.run}.ReservationGranted`);
    expect(row.msgId).toBe(`budget/${fact.run}/7`);
    expect(event.parse(JSON.parse(row.body.toString()))).toEqual({
      owner: 'budget',
      run: fact.run,
      seq: 7,
      at: '2026-01-02T03:04:05.678Z',
      type: 'waymark.budget.fact.v1.ReservationGranted',
      data: fact.data,
    });
  });

  it('that would not fit a message is refused where it is made, not where it would block the others', () => {
    const body = Buffer.alloc(MAX_BODY_BYTES + 1);
    expect(() => outboxRow({ subject: 's', msgId: 'm', body })).toThrow(/do not fit a message/);
    expect(outboxRow({ subject: 's', msgId: 'm', body: body.subarray(1) }).body).toHaveLength(MAX_BODY_BYTES);
  });

  it('is inserted by a statement whose three parameters start where the caller says', () => {
    expect(outboxInsertSql(4)).toBe(
      'INSERT INTO outbox (subject, msg_id, body) SELECT * FROM unnest($4::text[], $5::text[], $6::bytea[])',
    );
    const row = outboxRow({ subject: 's', msgId: 'm', body: { a: 1 } });
    expect(outboxParams([row])).toEqual([['s'], ['m'], [Buffer.from('{"a":1}')]]);
  });
});
