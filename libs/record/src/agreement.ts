/**
 * What a record says twice must agree: its chain proves that the facts stand as they were written, not that they fit each
 * other. A record that was written wrong, or forged and hashed again, is found by what it says of itself.
 */
import type { Finding } from './verify.js';
import type { RecordFact, RequestIntended, RequestSettled } from './facts.js';

export interface ReadFact {
  readonly seq: number;
  /** The row's own word for the fact. */
  readonly kind: string;
  readonly fact: RecordFact;
}

/** R8: content means submitted; proven unread means rejected; the rest is uncertain. */
export function deliveryOf(outcome: Pick<RequestSettled, 'outcome' | 'content'>): RequestSettled['delivery'] {
  if (outcome.content || outcome.outcome === 'completed') return 'submitted';
  return outcome.outcome === 'unknown' ? 'uncertain' : 'rejected';
}

/** One admission at the head and one end (L1), every request intended and settled once, every action asked for (L3). */
export function checkAgreement(facts: readonly ReadFact[]): Finding[] {
  const findings: Finding[] = [];
  const open = new Set<number>();
  const intended = new Set<number>();
  const asked = new Set<string>();
  const settled = new Set<string>();
  let ended = false;
  for (const [place, { seq, kind, fact }] of facts.entries()) {
    const find = (what: string): void => void findings.push({ check: 'order', where: `seq ${seq}`, what });
    if (kind !== fact.type) find(`the row is called ${kind}, and its body is ${fact.type}`);
    if (ended) find('it stands after the end of the run');
    if ((place === 0) !== (fact.type === 'RunAdmitted')) find('a record begins with the one admission of its run');
    if (fact.type === 'RequestIntended') {
      if (intended.has(fact.request)) find(`request ${fact.request} is intended twice`);
      intended.add(fact.request);
      open.add(fact.request);
    }
    if (fact.type === 'RequestSettled') {
      if (!open.delete(fact.request)) find(`request ${fact.request} is settled, and none such is open`);
      if (fact.delivery !== deliveryOf(fact))
        find(`request ${fact.request} is called ${fact.delivery}; its outcome makes it ${deliveryOf(fact)}`);
      for (const action of actionsOf(fact)) asked.add(action);
    }
    if (fact.type === 'ActionSettled') {
      if (!asked.has(fact.action)) find(`action ${fact.action} is settled, and no answer asked for it`);
      if (settled.has(fact.action)) find(`action ${fact.action} is settled twice`);
      settled.add(fact.action);
    }
    if (fact.type !== 'RunEnded') continue;
    ended = true;
    // A record that cannot be read is closed over its head (L15): what was open then stays so.
    if (fact.code === 'record_broken') continue;
    for (const request of open) find(`the run ends, and nothing says how request ${request} ended`);
  }
  return findings;
}

/** What an answer asked for; in a forged fact it may be anything. */
const actionsOf = ({ actions }: RequestSettled): string[] =>
  ((Array.isArray(actions) ? actions : []) as readonly ({ readonly action?: string } | null)[]).map(
    (one) => one?.action ?? '',
  );

/** The lines that an intent says stood in its request; the notices of a forged one may be anything. */
export const noticeLines = ({ notices }: RequestIntended): string[] => {
  const text: unknown = (notices as { readonly text?: unknown } | undefined)?.text;
  return typeof text === 'string' ? text.split('\n') : [];
};

/** Every reminder that is named as included is one line of the notices, and the reverse (R7). */
export function checkNotices(intent: RequestIntended): Finding[] {
  const notices = intent.notices as { readonly text?: unknown; readonly included?: unknown } | undefined;
  const find = (what: string): Finding[] => [{ check: 'reminder', where: `request ${intent.request}`, what }];
  if (notices?.text !== null && typeof notices?.text !== 'string')
    return find('its intent does not say which reminders stood in it');
  const named = Array.isArray(notices.included) ? notices.included.length : null;
  const lines = noticeLines(intent).length;
  return named === lines
    ? []
    : find(`its intent names ${named ?? 'no'} reminders, and its notices have ${lines} lines`);
}
