import { calculate, CalculationError } from './calculate.js';

const wrong = (expression: string): string => {
  try {
    return `value ${calculate(expression)}`;
  } catch (error) {
    if (!(error instanceof CalculationError)) throw error;
    return error.message;
  }
};

describe('calculate', () => {
  it.each([
    ['0.1 + 0.2', '0.3'],
    ['1 - 0.9', '0.1'],
    ['2 + 3 * 4', '14'],
    ['(2 + 3) * 4', '20'],
    ['-2 * -3', '6'],
    ['10 - 4 - 3', '3'],
    ['100 / 8 / 5', '2.5'],
    ['12.5%', '0.125'],
    ['200 * 15%', '30'],
    ['round(2.5)', '3'],
    ['round(-2.345, 2)', '-2.35'],
    ['avg(1, 2, 4)', '2.3333333333333333333333333333333333333333'.slice(0, 41)],
    ['min(3, -1, 2) + max(1, 5)', '4'],
    ['9007199254740993 * 3', '27021597764222979'],
    ['6 ÷ 4 × 2 − 1', '2'],
  ])('L10: %s is %s', (expression, value) => {
    expect(calculate(expression)).toBe(value);
  });

  it.each([
    ['', /empty/],
    ['1 +', /ends too early/],
    ['(1', /expected "\)"/],
    ['1 2', /"2" was not expected/],
    ['1 / (3 - 3)', /division by zero/],
    ['foo(1)', /"foo" is not known/],
    ['constructor(1)', /"constructor" is not known/],
    ['toString(1)', /"toString" is not known/],
    ['__proto__(1)', /"__proto__" is not known/],
    ['round(1, 2.5)', /0 to 20 digits/],
    ['round(1, 21)', /0 to 20 digits/],
    ['round(1, 2, 3)', /takes 2 arguments/],
    ['sum()', /at least 1/],
    ['1,000 + 1', /"," was not expected/],
    [`${'('.repeat(60)}1${')'.repeat(60)}`, /nested too deeply/],
    [`${'-'.repeat(60)}1`, /nested too deeply/],
    [`sum(${Array.from({ length: 501 }, () => '1').join(',')})`, /at most 500/],
  ])('L10: %s gets a plain answer', (expression, message) => {
    expect(wrong(expression)).toMatch(message);
  });
});
