import { Writable } from 'node:stream';
import { Screen, type ScreenTarget } from './screen.js';

function terminal(columns: number | undefined): { target: ScreenTarget; text: () => string } {
  let text = '';
  const target = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString();
      done();
    },
  });
  return {
    target: Object.assign(target, { isTTY: true, ...(columns === undefined ? {} : { columns }) }),
    text: () => text,
  };
}

describe('the panel on a terminal', () => {
  it.each([
    [0, 79],
    [undefined, 79],
    [40, 39],
    [10, 20],
  ])('of %s columns is cut at %s', (columns, width) => {
    const { target, text } = terminal(columns);
    new Screen(target).panel(['x'.repeat(200)]);
    expect(text()).toBe(`${'x'.repeat(width)}\n`);
  });
});
