/**
 * The calls of an answer as the next request can name them: ids and names stand in every request after it.
 *
 * 1. A provider's id is kept as it came unless it is empty, was taken by a call before it, or is longer than
 *    {@link LONGEST_ID}.
 * 2. A name that no API takes back, such as `functions.search`, would have every later request refused: it is made plain, and
 *    a tool that it then names is the one that was asked for.
 */
import { plainName, type StoredAnswer } from '@waymark/record';

/** Characters. */
export const LONGEST_ID = 256;

export function distinctCalls(calls: StoredAnswer['calls']): StoredAnswer['calls'] {
  const taken = new Set<string>();
  const given = new Set(calls.map(({ id }) => id));
  return calls.map(({ id, name, arguments: args }, i) => {
    let own = id.length > LONGEST_ID ? '' : id;
    if (own === '' || taken.has(own)) {
      own += `#${i}`;
      while (given.has(own) || taken.has(own)) own += '#';
    }
    taken.add(own);
    return { id: own, name: plainName(name), arguments: args };
  });
}
