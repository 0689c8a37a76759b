import { RUN, type Measured, type TypeRule } from '../reminder-type.js';
import { percentScale } from '../scale.js';

/** In percent of the hard limit. */
const NARROW_FROM = 75;
const ONLY_NEEDED_FROM = 90;

/** Bytes of the content as it will be sent, never called tokens (R9, R10). */
export const contextBytes: TypeRule<Measured> = {
  type: 'context-bytes',
  repeat: { state: 'every request while its condition holds', advice: 'once per stage while exploring' },
  measure(facts) {
    const { contentBytes: value, hardLimitBytes: limit } = facts.context;
    const scale = percentScale(facts.stages.percent, facts.stages.marginPercent, limit);
    return [{ subject: RUN, value, limit, unit: 'bytes', version: 0, scale }];
  },
  state: {
    full: {
      en: (m) => `Context: the content of this request is ${m.value} of ${m.limit} bytes, notices not counted.`,
      zh: (m) => `上下文：本次请求的内容为 ${m.value} 字节，上限 ${m.limit} 字节（不含提示）。`,
    },
    short: {
      en: (m) => `Context: ${m.value} of ${m.limit} bytes.`,
      zh: (m) => `上下文：${m.value}/${m.limit} 字节。`,
    },
  },
  advice: {
    intent: (stage) => (stage >= NARROW_FROM ? 'read-narrowly' : null),
    wording: {
      en: (m, { stage }) =>
        stage >= ONLY_NEEDED_FROM
          ? `The content is ${m.value} of ${m.limit} bytes: read only the ranges that an open point needs, and publish what is established.`
          : `The content is ${m.value} of ${m.limit} bytes: prefer ranges to whole sources, and read stored results back instead of calling again.`,
      zh: (m, { stage }) =>
        stage >= ONLY_NEEDED_FROM
          ? `内容为 ${m.value} 字节，上限 ${m.limit} 字节：只读取未决问题所需的范围，并发布已确认的内容。`
          : `内容为 ${m.value} 字节，上限 ${m.limit} 字节：优先读取范围而非整份资料，已存结果请回读而不要重新调用。`,
    },
  },
  quiet: (facts) => ({
    contentBytes: Math.ceil(percentScale(facts.stages.percent, 0, facts.context.hardLimitBytes).first),
  }),
};
