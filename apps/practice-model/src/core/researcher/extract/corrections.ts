/** Words of a text that corrects another. */
const CORRECTION =
  /(?<!un)(?<!in)correct(?:ed|ion|ions|s|ing)\b|(?<!in)correct (?:figure|value|number|rate|amount)|should read|errat(?:um|a)|corrigend(?:um|a)|restat(?:ed|ement)|revis(?:ed|ion)|misprint|misstated|wrongly|更正|勘误|修正|应为|订正/iu;

export const isCorrection = (text: string): boolean => CORRECTION.test(text);

const RIGHT =
  /corrected(?! from)|should (?:read|be|have been|have read)|(?<!in)correct(?! from)(?:ed)?\s(?:figure|value|number|rate|amount)|(?<!in)correctly|revised(?! from)|restated(?! from)|amended(?! from)|now (?:reads|stands)|(?<=\s)to(?=\s)|(?<!in)correct(?= (?:is|was|one))|更正为|应为|修正为|改为|订正为|正确|更正后/giu;
const WRONG =
  /instead of|rather than|(?<![A-Za-z])not(?![A-Za-z])|(?<![A-Za-z])from(?![A-Za-z])|wrong(?:ly)?|erroneous(?:ly)?|in error|incorrect(?:ly)?|previous(?:ly)?|original(?:ly)?|earlier|misstated|misprinted|printed|replac(?:es|ed|ing)|supersed(?:es|ed)|first published|had (?:been )?(?:stated|shown|given|reported|read)|误(?:为|写|列|载)?|原(?:为|文|先|载|值|披露|报告|来)?|而非|而不是|(?<![理自])由(?!于)|从|此前|先前|错误/giu;

/** Whether a number at `at` in a correcting sentence is given as right, as wrong, or neither is said. */
export function standing(sentence: string, at: number): 'right' | 'wrong' | 'unsaid' {
  const right = lastBefore(sentence, RIGHT, at);
  const wrong = lastBefore(sentence, WRONG, at);
  if (right < 0 && wrong < 0) return 'unsaid';
  return right > wrong ? 'right' : 'wrong';
}

/** Labels and column headings of values that no longer stand. */
export const isSuperseded = (label: string): boolean =>
  /previous|original|formerly|wrong|incorrect|as (?:first )?(?:published|printed)|superseded|\bold\b|原(?:值|披露|数据|文)|误|更正前/iu.test(
    label,
  );

function lastBefore(text: string, pattern: RegExp, at: number): number {
  let last = -1;
  for (const m of text.matchAll(pattern)) if (m.index + m[0].length <= at + 1) last = m.index;
  return last;
}
