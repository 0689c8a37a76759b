import fc from 'fast-check';
import { Book } from '../../../test/book.js';
import { history, play } from '../../../test/history.js';
import { decodeFacts, encodeFacts } from './fact-codec.js';

it('B12: facts as stored read back as they were', () => {
  fc.assert(
    fc.property(history, ({ limits, steps }) => {
      const book = new Book(limits);
      let seq = book.facts.length;
      for (const one of steps) {
        play(book, one);
        const added = book.facts.slice(seq);
        if (added.length === 0) continue;
        const bytes = encodeFacts(book.now, seq + 1, added);
        seq += added.length;
        expect(decodeFacts(bytes, seq)).toEqual({ at: book.now, first: seq - added.length + 1, facts: added });
      }
    }),
    { numRuns: 200 },
  );
});
