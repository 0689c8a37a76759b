/** Policy and limits of the demo, held against the contracts before a server starts (they are there after the set-up). */
import { POLICIES } from '@waymark/contracts/policy';
import { parseLimits } from '../../apps/cli/dist/core/parse-limit.js';

/**
 * What cannot be used, in words, or null.
 * @param {{ policy: string, limits: readonly string[] }} options
 * @returns {string | null}
 */
export function unusableLimits({ policy, limits }) {
  if (!Object.hasOwn(POLICIES, policy)) {
    return `unknown_policy: there is no policy "${policy}"\n  use one of: ${Object.keys(POLICIES).join(', ')}`;
  }
  const parsed = parseLimits(limits);
  return parsed.ok ? null : `${parsed.error.code}: ${parsed.error.message}\n  ${parsed.error.remedy}`;
}
