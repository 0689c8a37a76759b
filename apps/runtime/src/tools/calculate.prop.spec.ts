import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { calculate, CalculationError } from './calculate.js';

const Oracle = Decimal.clone({ precision: 400 });
type Value = InstanceType<typeof Oracle>;
interface Expression {
  readonly text: string;
  readonly value: Value;
}

const number: fc.Arbitrary<Expression> = fc
  .tuple(fc.integer({ min: 0, max: 99_999 }), fc.option(fc.integer({ min: 0, max: 9999 }), { nil: null }))
  .map(([whole, part]) => (part === null ? `${whole}` : `${whole}.${part}`))
  .map((text) => ({ text, value: new Oracle(text) }));
const percent = number.map(({ text, value }) => ({ text: `${text}%`, value: value.div(100) }));
const space = fc.constantFrom('', ' ', '  ');

/** Expressions whose every step is exact in few digits, so that there is one right answer. */
const { expression } = fc.letrec<{ expression: Expression; leaf: Expression; call: Expression; binary: Expression }>(
  (tie) => ({
    leaf: fc.oneof(number, percent),
    binary: fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '−', '×'), tie('expression'), space)
      .map(([a, sign, b, s]) => ({
        text: `(${a.text})${s}${sign}${s}(${b.text})`,
        value:
          sign === '+'
            ? a.value.plus(b.value)
            : sign === '*' || sign === '×'
              ? a.value.times(b.value)
              : a.value.minus(b.value),
      })),
    call: fc.oneof(
      fc.array(tie('expression'), { minLength: 1, maxLength: 4 }).map((all) => ({
        text: `sum(${all.map((x) => x.text).join(', ')})`,
        value: all.reduce((sum, x) => sum.plus(x.value), new Oracle(0)),
      })),
      fc.array(tie('expression'), { minLength: 1, maxLength: 4 }).map((all) => ({
        text: `max(${all.map((x) => x.text).join(',')})`,
        value: Oracle.max(...all.map((x) => x.value)),
      })),
      fc.array(tie('expression'), { minLength: 4, maxLength: 4 }).map((all) => ({
        text: `avg(${all.map((x) => x.text).join(',')})`,
        value: all.reduce((sum, x) => sum.plus(x.value), new Oracle(0)).div(4),
      })),
      tie('expression').map((x) => ({ text: `abs(-(${x.text}))`, value: x.value.abs() })),
      fc.tuple(tie('expression'), fc.nat({ max: 6 })).map(([x, digits]) => ({
        text: `round(${x.text}, ${digits})`,
        value: x.value.toDecimalPlaces(digits, Decimal.ROUND_HALF_UP),
      })),
      fc.tuple(tie('expression'), fc.constantFrom(2, 4, 5, 8, 10)).map(([x, by]) => ({
        text: `(${x.text}) ÷ ${by}`,
        value: x.value.div(by),
      })),
    ),
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      tie('leaf'),
      tie('binary'),
      tie('call'),
    ) as fc.Arbitrary<Expression>,
  }),
);

describe('calculate', () => {
  it('L10: the value is exact to forty digits: the same as arithmetic at ten times the precision', () => {
    fc.assert(
      fc.property(expression, ({ text, value }) => {
        fc.pre(text.length < 2000 && value.precision() <= 40);
        let got: Value;
        try {
          got = new Oracle(calculate(text));
        } catch (error) {
          expect((error as Error).message).toMatch(/nested too deeply/);
          return;
        }
        const off = got.minus(value).abs();
        expect(off.isZero() || off.div(value.abs().plus(1)).lt('1e-25')).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  it('L10: any text whatever is a value or a plain answer of what is wrong, and bounded', () => {
    const token = fc.constantFrom(
      ...['1', '0', '9'.repeat(60), '.', '1.2.3', '+', '-', '*', '/', '(', ')', ',', '%', 'sum', 'round', 'max', 'avg'],
      ...[
        'constructor',
        '__proto__',
        'toString',
        'hasOwnProperty',
        'valueOf',
        'NaN',
        'Infinity',
        '1e9',
        '费',
        '\u0000',
        ' ',
      ],
    );
    const text = fc.oneof(
      fc.array(token, { maxLength: 60 }).map((t) => t.join('')),
      fc.string({ unit: 'binary', maxLength: 200 }),
    );
    fc.assert(
      fc.property(text, (one) => {
        try {
          const value = calculate(one);
          expect(value).toMatch(/^-?\d+(\.\d+)?$/);
          expect(value.length).toBeLessThan(4000);
        } catch (error) {
          expect(error).toBeInstanceOf(CalculationError);
        }
      }),
      { numRuns: 1500 },
    );
  });
});
