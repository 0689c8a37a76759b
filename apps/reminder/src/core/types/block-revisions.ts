import type { Measured, TypeRule } from '../reminder-type.js';
import { percentScale } from '../scale.js';
import { atLeast } from '../words/at-least.js';

/** In percent of a block's revisions. */
const SPARE_FROM = 75;

interface BlockMeasured extends Measured {
  readonly block: string;
  readonly left: number;
  /** Writes sent and not confirmed, taken as used (P9). */
  readonly unconfirmed: number;
  readonly blocks: number;
}

/** A local limit, worded locally: it never says or implies that the run ends (R6, P4). */
export const blockRevisions: TypeRule<BlockMeasured> = {
  type: 'block-revisions',
  repeat: { state: 'every request while its condition holds', advice: 'once per stage' },
  measure(facts) {
    const { blocks, version } = facts.publication;
    return blocks.map(({ block, revisions: { limit, used } }) => {
      const sent = facts.unconfirmed.filter((name) => name === block).length;
      const value = Math.max(used, Math.min(limit, used + sent));
      return {
        subject: `block:${block}`,
        value,
        limit,
        unit: 'revisions',
        version,
        scale: percentScale(facts.stages.percent, facts.stages.marginPercent, limit),
        block,
        left: Math.max(0, limit - value),
        unconfirmed: value - used,
        blocks: blocks.length,
      };
    });
  },
  state: {
    full: {
      en(m, { rest, from }) {
        const unsure = m.unconfirmed > 0 ? `, counting ${m.unconfirmed} not confirmed yet` : '';
        const more = restEn(rest, from);
        return `Block "${m.block}" has ${m.left} of ${m.limit} revisions left${unsure}${more}; other blocks and the ending are not affected.`;
      },
      zh(m, { rest, from }) {
        const unsure = m.unconfirmed > 0 ? `（已计入 ${m.unconfirmed} 次尚未确认的写入）` : '';
        const more = rest > 0 ? `，另有 ${rest} 个区块已用掉至少${atLeast.zh(from)}` : '';
        return `区块“${m.block}”共 ${m.limit} 次修订，还剩 ${m.left} 次${unsure}${more}；其他区块和收尾不受影响。`;
      },
    },
    short: {
      en: (m, { rest, from }) =>
        `${rest + 1} of ${m.blocks} blocks used at least ${atLeast.en(from)} of their revisions.`,
      zh: (m, { rest, from }) => `${m.blocks} 个区块中有 ${rest + 1} 个修订次数已用至少${atLeast.zh(from)}。`,
    },
  },
  advice: {
    intent: (stage) => (stage >= SPARE_FROM ? 'spare-revisions' : null),
    wording: {
      en: (m) =>
        m.left === 0
          ? `Block "${m.block}" has 0 of ${m.limit} revisions left and stays as it is: put what is new into another block or the closing text.`
          : `Block "${m.block}" has ${m.left} of ${m.limit} revisions left: collect its corrections and make them in one write.`,
      zh: (m) =>
        m.left === 0
          ? `区块“${m.block}”共 ${m.limit} 次修订，还剩 0 次，内容保持不变：新的内容请写入其他区块或结束语。`
          : `区块“${m.block}”共 ${m.limit} 次修订，还剩 ${m.left} 次：请集中更正，一次写入。`,
    },
  },
  quiet(facts) {
    const firsts = facts.publication.blocks.map(
      ({ revisions }) => percentScale(facts.stages.percent, 0, revisions.limit).first,
    );
    return { blockRevisions: firsts.length === 0 ? null : Math.ceil(Math.min(...firsts)) };
  },
};

function restEn(rest: number, from: number): string {
  if (rest === 0) return '';
  return `, and ${rest} more ${rest === 1 ? 'block has' : 'blocks have'} used at least ${atLeast.en(from)}`;
}
