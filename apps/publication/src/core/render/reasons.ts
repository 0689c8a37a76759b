import type { Report } from '@waymark/contracts/publication';

/** The runtime's codes of endings in Chinese; its own words for them are English. */
const CHINESE: Readonly<Record<string, string>> = {
  finished: '模型自行完成。',
  nothing_published: '模型结束时没有发布任何内容。',
  cancelled: '研究被中止；报告保留截至当时已发布的内容。',
  set_aside: '多次接手均无进展，研究被搁置；报告保留截至当时已发布的内容。',
  explore_exhausted: '探索请求已用完，探索提前结束。',
  finish_exhausted: '收尾请求已用完。',
  finish_reserve_kept: '余下的请求须留给收尾，探索提前结束。',
  main_request_kept: '余下的请求须留给主模型，探索提前结束。',
  physical_exhausted: '模型请求总数已用完，探索提前结束。',
  output_time_reached: '余下的时间须留给收尾，探索提前结束。',
  active_time_near: '执行时间将尽，探索提前结束。',
  active_time_over: '执行时间已用完。',
  wall_time_near: '总时长将尽，探索提前结束。',
  wall_time_over: '总时长已用完。',
  user_deadline_near: '用户期限将至，探索提前结束。',
  user_deadline_over: '已到用户期限。',
  empty_answers: '模型连续给出空的或中断的回答，探索提前结束。',
  provider_paused: '模型服务要求的等待超出了研究可用的时间。',
};

/** The reason in the report's language where its code is known, else in the words that it came in. */
export function reasonOf({ language, code, reason }: Report): string | null {
  if (language !== 'zh' || code === null || /\p{Script=Han}/u.test(reason ?? '')) return reason;
  return Object.hasOwn(CHINESE, code) ? (CHINESE[code] ?? null) : reason;
}
