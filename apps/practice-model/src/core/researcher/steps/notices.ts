/** What the notices ask for, in either language. Numbers and wording may change, so only their gist is read. */
export interface Heeded {
  /** Stop exploring and write; once heard it stays true, as advice is given once. */
  write: boolean;
  /** Show what is established, and go on. */
  begin: boolean;
  /** This answer is the last one. */
  last: boolean;
  review: boolean;
  /** Explore requests left after this one; undefined while nothing is said. */
  left: number | undefined;
}

const FINISH_NOW =
  /finish now|stop exploring|explor\w* (?:has ended|is over|must end)|立即.{0,12}(?:收尾|完成|结束)|停止探索|探索已结束/iu;
const BEGIN = /begin to write|start writing|publish blocks|开始.{0,12}(?:写|发布)/iu;
const LAST = /last finish\w*|last chance|最后一次收尾/iu;
const REVIEW = /(?:ask\w*|consider\w*) (?:for )?(?:a )?review|ask_for_review|考虑.{0,8}(?:审阅|评审|复核)/iu;
const USED = [
  /(?:explore|exploring) requests: (\d+) of (\d+) used/giu,
  /before finishing: (\d+) of (\d+) used/giu,
  /(\d+) of (\d+) (?:explore requests|model requests before finishing)/giu,
  /探索请求[:：]\s*已用 (\d+)\/(\d+)/gu,
];
/** The same with the limit first. */
const USED_OF = [/探索请求[:：]?\s*共 (\d+) 次，已用 (\d+)/gu, /收尾前.{0,8}请求[:：]?\s*共 (\d+) 次，已用 (\d+)/gu];

/** In the last exploring request it is time to write; the finishing ones after it close. */
const LAST_EXPLORING = 0;

export function heed(notices: string): Heeded {
  const left = [
    ...USED.flatMap((pattern) => [...notices.matchAll(pattern)].map((m) => Number(m[2]) - Number(m[1]))),
    ...USED_OF.flatMap((pattern) => [...notices.matchAll(pattern)].map((m) => Number(m[1]) - Number(m[2]))),
  ];
  const least = left.length > 0 ? Math.min(...left) : undefined;
  return {
    write: FINISH_NOW.test(notices) || (least !== undefined && least <= LAST_EXPLORING),
    begin: BEGIN.test(notices),
    last: LAST.test(notices),
    review: REVIEW.test(notices),
    left: least,
  };
}
