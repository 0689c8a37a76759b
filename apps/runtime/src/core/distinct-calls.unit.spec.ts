import { distinctCalls, LONGEST_ID } from './distinct-calls.js';

const ids = (...given: string[]): string[] =>
  distinctCalls(given.map((id) => ({ id, name: 'search', arguments: '{}' }))).map(({ id }) => id);

describe('C14: the ids of the calls of one answer', () => {
  it('are kept as they came', () => expect(ids('call_1', 'toolu_02', 'x'.repeat(LONGEST_ID))).toHaveLength(3));

  it('an empty or doubled one gets one of our own, also beside one that looks like it', () => {
    expect(ids('a', 'a', '')).toEqual(['a', 'a#1', '#2']);
    expect(ids('a#2', 'a', 'a')).toEqual(['a#2', 'a', 'a#2#']);
    expect(ids('a', 'a', 'a#1')).toEqual(['a', 'a#1#', 'a#1']);
  });

  it('a tool’s name that a provider would not take back is made plain; one that is offered stays', () => {
    const named = (name: string) => distinctCalls([{ id: 'a', name, arguments: '' }])[0]?.name;
    expect(['search', 'functions.search', 'find 汉', '', 'x'.repeat(100)].map(named)).toEqual([
      ...['search', 'functions_search', 'find__', 'unnamed', 'x'.repeat(64)],
    ]);
  });

  it('one of any length is not carried through every later request', () => {
    const long = 'i'.repeat(300_000);
    expect(ids(long, long, 'b')).toEqual(['#0', '#1', 'b']);
    expect(ids('x'.repeat(LONGEST_ID), 'x'.repeat(LONGEST_ID + 1))).toEqual(['x'.repeat(LONGEST_ID), '#1']);
  });
});
