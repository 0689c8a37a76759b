/** `--limit name=value`: what a caller may set explicitly at start (P3), times also as 90s, 10m, 1.5h. */
import { policyOverrides, type PolicyOverrides } from '@waymark/contracts/policy';
import type { ErrorBody } from '@waymark/contracts/wire';

export const LIMIT_NAMES: readonly string[] = Object.keys(policyOverrides.shape);

export type ParsedLimits =
  { readonly ok: true; readonly overrides: PolicyOverrides } | { readonly ok: false; readonly error: ErrorBody };

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export function parseLimits(given: readonly string[]): ParsedLimits {
  const overrides: Record<string, unknown> = {};
  for (const one of given) {
    const [, name = '', text = ''] = /^([^=]*)=(.*)$/s.exec(one) ?? [];
    if (!LIMIT_NAMES.includes(name)) {
      return refuse(
        'unknown_limit',
        `"${one}" names no limit`,
        `write name=value with one of: ${LIMIT_NAMES.join(', ')}`,
      );
    }
    if (name in overrides) return refuse('repeated_limit', `${name} is set twice`, 'set it once');
    const value = valueOf(name, text);
    const parsed = policyOverrides.safeParse({ [name]: value });
    if (value === undefined || !parsed.success) {
      const issue = value === undefined ? undefined : parsed.error?.issues[0];
      if (issue?.code === 'too_big' || issue?.code === 'too_small') {
        const border = issue.code === 'too_big' ? `at most ${issue.maximum}` : `at least ${issue.minimum}`;
        return refuse('invalid_limit', `${name}=${text} cannot be kept`, `write ${name} with ${border}`);
      }
      return refuse('invalid_limit', `${name}=${text} is no value for it`, remedyFor(name));
    }
    overrides[name] = value;
  }
  return { ok: true, overrides };
}

function valueOf(name: string, text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (isList(name)) {
    const times = text.split(',').map(timeOf);
    return times.includes(undefined) ? undefined : times;
  }
  return name.endsWith('Ms') ? timeOf(text) : /^\d+$/.test(text) ? Number(text) : undefined;
}

function timeOf(text: string): number | undefined {
  const [, amount, unit = 'ms'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim()) ?? [];
  return amount === undefined ? undefined : Math.round(Number(amount) * (UNIT_MS[unit] ?? 1));
}

const isList = (name: string): boolean => name === 'parkMs' || name === 'backoffMs';

function remedyFor(name: string): string {
  if (name === 'review') return 'write review=true or review=false';
  if (isList(name)) return `write ${name}=1s,4s`;
  return name.endsWith('Ms') ? `write ${name}=90000 or ${name}=90s, 10m, 1h` : `write ${name} with a whole number`;
}

const refuse = (code: string, message: string, remedy: string): ParsedLimits => ({
  ok: false,
  error: { code, message, remedy, field: 'limit' },
});
