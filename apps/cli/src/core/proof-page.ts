/** A proof in words: what was checked, what is wrong by name, what could not be checked. */
import { many } from './words.js';

interface ShownProof {
  readonly run: string;
  readonly facts: number;
  readonly requests: number;
  readonly rebuilt: number;
  readonly arrived: number | null;
  readonly reviewRequests: number | null;
  readonly reminders: number;
  readonly findings: readonly { readonly check: string; readonly where: string; readonly what: string }[];
  readonly unchecked: readonly string[];
}

export function proofPage(p: ShownProof): string[] {
  const { findings, unchecked } = p;
  const verdict =
    findings.length > 0
      ? `WRONG: ${many(findings.length, 'finding')}`
      : unchecked.length > 0
        ? 'NOT ALL CHECKED: nothing was found wrong'
        : 'RIGHT: all was checked';
  return [
    `run ${p.run}`,
    `  record    ${many(p.facts, 'fact')}, chain and bodies hashed again`,
    `  requests  ${p.requests} intended, ${p.rebuilt} rebuilt byte for byte${p.arrived === null ? '' : `, ${p.arrived} in the provider's log`}`,
    ...(p.reviewRequests === null || p.reviewRequests === 0
      ? []
      : [`  reviews   ${many(p.reviewRequests, 'request')} compared by digest`]),
    ...(p.arrived === null ? [] : [`  reminders ${p.reminders} submitted ones looked for in the bytes that arrived`]),
    verdict,
    ...findings.map(({ check, where, what }) => `  ${check}: ${where}: ${what}`),
    ...unchecked.map((what) => `  not checked: ${what}`),
  ];
}
