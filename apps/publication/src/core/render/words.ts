import type { Language } from '@waymark/contracts/wire';
import type { Outcome } from '../fact.js';

export interface Words {
  readonly report: string;
  readonly question: string;
  readonly answer: string;
  readonly sections: string;
  readonly grounds: string;
  /** How to check a citation by hand. */
  readonly ranges: string;
  /** Sections whose text was replaced; what the sources correct is the text's own affair. */
  readonly revised: string;
  readonly gaps: string;
  /** With its colon; a sentence follows. */
  readonly outcome: string;
  readonly version: string;
  readonly nothing: string;
  readonly noGrounds: string;
  readonly open: string;
  /** Said at the head; null for a completed report with all its grounds. */
  readonly state: Readonly<Record<Outcome, string | null>>;
  readonly outcomes: Readonly<Record<Outcome, string>>;
  readonly back: string;
  /** Opens what stands round a passage. */
  readonly inPlace: string;
  /** A page or line as its owner labels it, e.g. `page 3`. */
  readonly label: (label: string) => string;
  readonly bytes: (start: number, end: number) => string;
  readonly failed: (reason: string) => string;
  readonly failedCitations: (failed: number, all: number) => string;
  readonly corrected: (title: string, from: number, to: number) => string;
}

const en: Words = {
  report: 'Research report',
  question: 'Question',
  answer: 'Answer',
  sections: 'Sections',
  grounds: 'Grounds',
  ranges:
    'Byte ranges count the text that was extracted from a source, in UTF-8; of a CSV file, its rows as Markdown. ' +
    'A passage is shown with its beginning.',
  revised: 'Revised sections',
  gaps: 'What this report leaves open',
  outcome: 'Outcome:',
  version: 'report version',
  nothing: 'Nothing was published.',
  noGrounds: 'No grounds are cited for this section.',
  open: 'This report is still being written.',
  state: {
    completed: null,
    partial: 'The evidence is partial: the research was cut short, and what follows is what stood by then.',
    cancelled: 'The evidence is partial: the research was stopped, and what follows is what stood by then.',
    failed: 'The research failed; what follows is all that could be saved.',
  },
  outcomes: { completed: 'completed', partial: 'partial', cancelled: 'cancelled', failed: 'failed' },
  back: 'back to the section',
  inPlace: 'in its place',
  label: (label) => label,
  bytes: (start, end) => `bytes ${start}–${end}`,
  failed: (reason) => `FAILED CITATION (${reason}): it is no ground for what it stands at`,
  failedCitations: (failed, all) => `${failed} of ${all} citations failed their check; each is marked where it stands.`,
  corrected: (title, from, to) => `${title}: version ${from} was replaced by version ${to}`,
};

const zh: Words = {
  report: '研究报告',
  question: '问题',
  answer: '结论',
  sections: '章节',
  grounds: '依据',
  ranges: '字节范围按从来源提取的文本（UTF-8）计算；CSV 文件按其 Markdown 表格行计算。所示段落为其开头部分。',
  revised: '修订过的章节',
  gaps: '本报告尚未解决的问题',
  outcome: '结果：',
  version: '报告版本',
  nothing: '没有发布任何内容。',
  noGrounds: '本节没有引用依据。',
  open: '本报告仍在撰写中。',
  state: {
    completed: null,
    partial: '证据不完整：研究提前结束，以下是截至当时成立的内容。',
    cancelled: '证据不完整：研究被中止，以下是截至当时成立的内容。',
    failed: '研究失败；以下是能够保存的全部内容。',
  },
  outcomes: { completed: '完成', partial: '部分完成', cancelled: '已取消', failed: '失败' },
  back: '返回本节',
  inPlace: '原文位置',
  label: (label) => label.replace(/^pages? (.+)$/, '第 $1 页').replace(/^lines? (.+)$/, '第 $1 行'),
  bytes: (start, end) => `字节 ${start}–${end}`,
  failed: (reason) => `引用失败（${reason}）：不能作为此处的依据`,
  failedCitations: (failed, all) => `${all} 条引用中有 ${failed} 条未通过核对，均在原处标明。`,
  corrected: (title, from, to) => `${title}：第 ${from} 版已由第 ${to} 版替换`,
};

export const WORDS: Readonly<Record<Language, Words>> = { en, zh };
