/** Step 1: what arrived for the run becomes facts of its record (verdicts, limits that budget's timers saw). */
import { inboxDelivery } from '@waymark/contracts/runtime';
import type { Verdict } from '@waymark/contracts/reviewer';
import type { RunContext } from './run-context.js';

export async function takeInbox(c: RunContext): Promise<void> {
  if (c.inboxSeq <= c.state.inbox) return;
  for (const item of await c.platform.inbox.after(c.run, c.state.inbox)) {
    const parsed = inboxDelivery.safeParse(item.body);
    if (!parsed.success) {
      c.platform.logger.error(
        { run: c.run, seq: item.seq, kind: item.kind },
        'an inbox item of unknown shape was passed over',
      );
      continue;
    }
    const delivery = parsed.data;
    switch (delivery.kind) {
      case 'limit':
        c.log.note({ type: 'LimitHeard', inbox: item.seq, limit: delivery.limit, stage: delivery.stage });
        break;
      case 'verdict': {
        const text = adviceOf(delivery.verdict, c.admitted.language);
        const stored = text === null || c.state.phase !== 'exploring' ? null : c.bodies.put(text);
        c.log.note(
          {
            type: 'VerdictHeard',
            inbox: item.seq,
            review: delivery.verdict.review,
            outcome: delivery.verdict.outcome,
            code: delivery.verdict.code,
            advice: stored?.ref ?? null,
          },
          stored ? [stored.body] : [],
        );
        c.reviewSince = null;
        break;
      }
    }
  }
}

/** Advice in a later natural request; it changes no text by itself (V2). Null: nothing to say. */
function adviceOf(verdict: Verdict, language: 'en' | 'zh'): string | null {
  if (verdict.outcome === 'failed') return null;
  const zh = language === 'zh';
  if (verdict.points.length === 0) {
    return zh ? '审阅未提出问题。' : 'The review of the report so far raised no points.';
  }
  const head = zh
    ? `对报告(版本 ${verdict.reportVersion})的审阅提出 ${verdict.points.length} 点建议,由你判断:`
    : `A review of the report (version ${verdict.reportVersion}) gives ${verdict.points.length} points of advice; judge them yourself:`;
  const lines = verdict.points.map((p) => `- ${p.block === null ? '' : `[${p.block}] `}${p.issue} → ${p.suggestion}`);
  return [head, ...lines].join('\n');
}
