/** From a zod error to one coded answer: what is wrong, where, and what is expected. Never repeats the caller's value. */
import type { ErrorBody } from '@waymark/contracts/wire';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Fields are named `a.b.0.c`. The most telling issue wins: unknown field, then missing, then invalid. */
export function describeIssues(schema: z.ZodType, value: unknown, issues: readonly Issue[]): ErrorBody {
  const found = issues.flatMap((issue) => bestOf(issue)).map((issue) => describe(schema, value, issue));
  const order = ['unknown_field', 'missing_field', 'invalid_field'];
  found.sort((a, b) => order.indexOf(a.code) - order.indexOf(b.code));
  const [first] = found;
  if (first === undefined)
    return invalid([], 'not understood', 'compare the request with the contract of this subject');
  return first;
}

function describe(schema: z.ZodType, value: unknown, issue: Issue): ErrorBody {
  if (issue.code === 'unrecognized_keys') {
    const field = fieldName([...issue.path, issue.keys[0] ?? '']);
    const known = knownKeys(schema, issue.path);
    const remedy = known.length === 0 ? 'leave it out' : `leave it out; known here: ${known.join(', ')}`;
    return { code: 'unknown_field', message: `unknown field "${field}"`, remedy, field };
  }
  if (isMissing(value, issue.path)) {
    const field = fieldName(issue.path);
    return { code: 'missing_field', message: `missing field "${field}"`, remedy: `add it: ${expected(issue)}`, field };
  }
  const field = fieldName(issue.path);
  return invalid(issue.path, field === '' ? 'the request is invalid' : `field "${field}" is invalid`, expected(issue));
}

function invalid(path: Path, message: string, remedy: string): ErrorBody {
  return { code: 'invalid_field', message, remedy, ...(path.length > 0 && { field: fieldName(path) }) };
}

/** Of a union, the issues of the alternative that fits best: the one with the fewest. */
function bestOf(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const alternatives = [...issue.errors].sort((a, b) => a.length - b.length);
  return (alternatives[0] ?? []).flatMap((inner) =>
    bestOf({ ...inner, path: [...issue.path, ...inner.path] } as Issue),
  );
}

function expected(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map((v) => JSON.stringify(v)).join(', ')}`;
    case 'too_small':
      return `expected ${issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'more than'} ${String(issue.minimum)}${unit(issue.origin)}`;
    case 'too_big':
      return `expected ${issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'less than'} ${String(issue.maximum)}${unit(issue.origin)}`;
    case 'invalid_format':
      return issue.pattern === undefined || issue.format !== 'regex'
        ? `expected ${issue.format}`
        : `expected text like ${issue.pattern}`;
    case 'not_multiple_of':
      return `expected a multiple of ${String(issue.divisor)}`;
    case 'unrecognized_keys':
      return 'leave unknown keys out';
    case 'invalid_union': {
      const options = (issue as { options?: readonly unknown[] }).options;
      return options === undefined ? 'expected one of the known kinds' : `expected one of ${options.join(', ')}`;
    }
    case 'invalid_key':
      return 'expected another key';
    case 'invalid_element':
      return 'expected another element';
    case 'custom':
      return issue.message;
  }
  return issue satisfies never;
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters';
  if (origin === 'array' || origin === 'set') return ' elements';
  return '';
}

function fieldName(path: Path): string {
  return path.map(String).join('.');
}

/** The parent is there and does not have the key. */
function isMissing(value: unknown, path: Path): boolean {
  let at: unknown = value;
  for (const key of path.slice(0, -1)) at = isRecord(at) ? at[key] : undefined;
  const last = path.at(-1);
  return last !== undefined && isRecord(at) && !Object.hasOwn(at, last);
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

interface SchemaDef {
  shape?: Record<string, z.ZodType>;
  innerType?: z.ZodType;
  element?: z.ZodType;
}

/** Keys that the object schema at `path` knows; empty where the schema is no plain object. */
function knownKeys(schema: z.ZodType, path: Path): string[] {
  let def = objectDef(schema);
  for (const key of path) {
    const next = typeof key === 'number' ? def.element : def.shape?.[String(key)];
    if (next === undefined) return [];
    def = objectDef(next);
  }
  return Object.keys(def.shape ?? {});
}

function objectDef(schema: z.ZodType): SchemaDef {
  const def = schema._zod.def as SchemaDef;
  return def.innerType === undefined ? def : objectDef(def.innerType);
}
