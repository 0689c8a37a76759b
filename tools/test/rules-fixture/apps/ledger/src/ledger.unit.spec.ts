it('B1, F-B3: limits stay apart', () => undefined);
describe('B2: no request without a reservation', () => {
  it.each([1, 2])('holder %i', () => undefined);
});
it.skip('B3: settles once', () => undefined);
// it('B4: only a comment', () => undefined);
const text = "it('B4: only a string', …)";
it(`B9: a rule that ${text} does not know`, () => undefined);
