/** Exact decimal arithmetic over a small, closed grammar: no names but the functions below, no powers, bounded size. */
import { Decimal } from 'decimal.js';

const Exact = Decimal.clone({ precision: 40, toExpNeg: -30, toExpPos: 40 });
type Value = InstanceType<typeof Exact>;

const FUNCTIONS: Readonly<Record<string, (args: readonly Value[]) => Value>> = {
  min: (a) => Exact.min(...atLeast(a, 1)),
  max: (a) => Exact.max(...atLeast(a, 1)),
  sum: (a) => Exact.sum(...atLeast(a, 1)),
  avg: (a) => Exact.sum(...atLeast(a, 1)).div(a.length),
  abs: (a) => exactly(a, 1)[0].abs(),
  round: (a) => {
    const [x, digits] = exactly(a.length === 1 ? [...a, new Exact(0)] : a, 2);
    if (!digits.isInteger() || digits.lt(0) || digits.gt(20)) throw new CalculationError('round takes 0 to 20 digits');
    return x.toDecimalPlaces(digits.toNumber(), Decimal.ROUND_HALF_UP);
  },
};

/** Its message is for the model. */
export class CalculationError extends Error {}

const DEPTH = 50;
const ARGUMENTS = 500;

/** The value in plain decimal notation; throws {@link CalculationError}. */
export function calculate(expression: string): string {
  const tokens = tokenize(expression);
  let at = 0;
  const peek = () => tokens[at];
  const take = () => tokens[at++];
  const expect = (token: string) => {
    if (take() !== token) throw new CalculationError(`expected "${token}"`);
  };

  const sum = (depth: number): Value => {
    let value = product(depth);
    while (peek() === '+' || peek() === '-')
      value = take() === '+' ? value.plus(product(depth)) : value.minus(product(depth));
    return value;
  };
  const product = (depth: number): Value => {
    let value = factor(depth);
    while (peek() === '*' || peek() === '/') {
      const sign = take();
      const right = factor(depth);
      if (sign === '/' && right.isZero()) throw new CalculationError('division by zero');
      value = sign === '*' ? value.times(right) : value.div(right);
    }
    return value;
  };
  const factor = (depth: number): Value => {
    if (depth > DEPTH) throw new CalculationError('nested too deeply');
    const token = take();
    if (token === undefined) throw new CalculationError('the expression ends too early');
    if (token === '-') return factor(depth + 1).neg();
    if (token === '+') return factor(depth + 1);
    if (token === '(') {
      const value = sum(depth + 1);
      expect(')');
      return value;
    }
    if (/^\.?\d/.test(token)) {
      const value = new Exact(token);
      return peek() === '%' ? (take(), value.div(100)) : value;
    }
    const call = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
    if (!call)
      throw new CalculationError(
        `"${token.slice(0, 40)}" is not known; use numbers, + - * / ( ), ${Object.keys(FUNCTIONS).join(', ')}`,
      );
    expect('(');
    const args: Value[] = [];
    if (peek() !== ')') {
      args.push(sum(depth + 1));
      while (peek() === ',') {
        take();
        if (args.length >= ARGUMENTS) throw new CalculationError(`at most ${ARGUMENTS} arguments`);
        args.push(sum(depth + 1));
      }
    }
    expect(')');
    return call(args);
  };

  const value = sum(0);
  if (at < tokens.length) throw new CalculationError(`"${tokens[at]}" was not expected`);
  if (!value.isFinite()) throw new CalculationError('the result is not a finite number');
  return value.toFixed();
}

function tokenize(expression: string): string[] {
  const normal = expression.replaceAll('×', '*').replaceAll('÷', '/').replaceAll('−', '-');
  const tokens = normal.match(/\d+(?:\.\d+)?|\.\d+|[a-zA-Z_]+|[-+*/(),%]|\S/g) ?? [];
  if (tokens.length === 0) throw new CalculationError('the expression is empty');
  return tokens;
}

function atLeast(args: readonly Value[], n: number): Value[] {
  if (args.length < n) throw new CalculationError(`takes at least ${n} argument`);
  return [...args];
}

function exactly(args: readonly Value[], n: number): [Value, Value] {
  if (args.length !== n) throw new CalculationError(`takes ${n} arguments`);
  return args as unknown as [Value, Value];
}
