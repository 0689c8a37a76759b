/** What the notices ask for, in either language; numbers and wording may change, so only their gist is read. */
export interface Heeded {
  /** Stop exploring and write. */
  write: boolean;
  /** This answer is the last one. */
  last: boolean;
  review: boolean;
}

export function heed(notices: string): Heeded {
  const last =
    /last (?:finish|request|finishing)|finish now|last chance|最后一次(?:收尾|完成|请求)|立即(?:完成|收尾|结束)/iu.test(
      notices,
    );
  const ends =
    /explor\w* (?:has ended|is over|ends|must end|requests? (?:are|is) used up)|last explor\w*|stop exploring|write (?:the report|up|now)|结束探索|探索(?:已|将)?(?:结束|用完)|停止探索|最后一次探索/iu.test(
      notices,
    );
  const left = [
    ...notices.matchAll(
      /(\d+)\s+of\s+\d+\s+explor\w*(?:\s+\w+){0,3}\s+left|探索请求[^。]{0,12}?(?:还剩|剩余)\s*(\d+)/giu,
    ),
  ].map((m) => Number(m[1] ?? m[2]));
  return {
    last,
    write: last || ends || left.some((n) => n <= 3),
    review: /\breview\b|审阅|评审|复核/iu.test(notices),
  };
}
