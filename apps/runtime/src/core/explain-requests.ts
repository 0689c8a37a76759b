/** E1: for every request, what stood in it, which reminders and why, which limits applied. A fold over the record. */
import type { ExplainedRequest, PartBytes } from '@waymark/contracts/runtime';
import {
  PART_KINDS,
  type NoticeLine,
  type RecordFact,
  type RequestIntended,
  type RequestSettled,
} from '@waymark/record';

type Fate = ExplainedRequest['notices'][number]['fate'];

interface Building {
  readonly seq: number;
  readonly epoch: number;
  readonly intent: RequestIntended;
  settled: RequestSettled | null;
}

export function explainRequests(
  facts: readonly { readonly seq: number; readonly epoch: number; readonly fact: RecordFact }[],
): ExplainedRequest[] {
  const requests: Building[] = [];
  const receipts = new Map<string, { readonly outcome: string; readonly bytes: number }>();
  let open: Building | null = null;
  for (const { seq, epoch, fact } of facts) {
    if (fact.type === 'RequestIntended') {
      open = { seq, epoch, intent: fact, settled: null };
      requests.push(open);
    } else if (fact.type === 'RequestSettled' && open) open.settled = fact;
    else if (fact.type === 'ActionSettled')
      receipts.set(fact.action, { outcome: fact.outcome, bytes: fact.result.bytes });
  }
  return requests.map((r) => explained(r, receipts));
}

function explained(
  { seq, epoch, intent, settled }: Building,
  receipts: ReadonlyMap<string, { readonly outcome: string; readonly bytes: number }>,
): ExplainedRequest {
  return {
    request: intent.request,
    turn: intent.turn,
    attempt: intent.attempt,
    purpose: intent.purpose,
    seq,
    epoch,
    digest: intent.digest,
    bytes: intent.bytes,
    parts: Object.fromEntries(PART_KINDS.map((kind, i) => [kind, intent.parts[i] ?? 0])) as PartBytes,
    contentBytes: intent.content,
    hardLimitBytes: intent.hard,
    noticeSource: intent.notices.source,
    notices: explainNotices(intent, settled),
    reservation: intent.reservation,
    grantVersion: intent.grant.version,
    deadlines: { ...intent.deadlines, leftMs: intent.grant.leftMs, bound: intent.grant.bound },
    outcome: settled?.outcome ?? null,
    code: settled?.code ?? null,
    usage: settled?.usage ?? null,
    actions: (settled?.actions ?? []).map((a) => {
      const receipt = receipts.get(a.action);
      return { action: a.action, tool: a.tool, outcome: receipt?.outcome ?? null, bytes: receipt?.bytes ?? null };
    }),
  };
}

const WORDS: Readonly<Record<Exclude<Fate, 'omitted' | 'combined' | 'pending'>, string>> = {
  submitted: 'it stood in the bytes and content came back',
  rejected: 'the request was never read: due again',
  uncertain: 'nothing came back and nothing proves that it was not read',
};

function explainNotices(intent: RequestIntended, settled: RequestSettled | null): ExplainedRequest['notices'] {
  const texts = intent.notices.text?.split('\n') ?? [];
  const line = (n: NoticeLine, fate: Fate, reason: string, text: string | null) => ({
    type: n.type,
    kind: n.kind,
    subject: n.subject,
    stage: n.stage,
    fate,
    reason: n.value === undefined ? reason : `${reason} (measured ${n.value} of ${n.limit ?? 0})`,
    text,
  });
  return [
    ...intent.notices.included.map((n, i) =>
      settled
        ? line(n, settled.delivery, WORDS[settled.delivery], texts[i] ?? null)
        : line(n, 'pending', 'the request has no outcome yet', texts[i] ?? null),
    ),
    ...intent.notices.omitted.map((n) => line(n, 'omitted', 'it did not fit the notice room', null)),
    ...intent.notices.combined.map((n) => ({
      type: n.type,
      kind: 'advice' as const,
      subject: n.subject,
      stage: n.stage,
      fate: 'combined' as const,
      reason: `it gave way to ${n.by}`,
      text: null,
    })),
  ];
}
