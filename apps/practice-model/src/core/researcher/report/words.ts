import type { Language } from '../question.js';

/** What the report compares, and what its figures come to. */
export interface ClosingCounts {
  labels: string;
  figures: number;
  conflicts: number;
  /** Figures that a source itself corrects. */
  corrected: number;
  missing: number;
  unread: number;
}

/** Every sentence of the report in both languages, so that none is built twice. */
interface Words {
  name: string;
  undated: string;
  none: string;
  points: string;
  title(label: string): string;
  range(period: string, label: string, low: string, lowName: string, high: string, highName: string): string;
  apart(difference: string, average: string): string;
  mixed(periods: string): string;
  disagree(name: string, period: string, values: string): string;
  corrected(name: string, period: string, was: string, is: string): string;
  missing(names: string): string;
  nothing(label: string): string;
  reason: string;
  unreadTitle: string;
  unreadable(names: string): string;
  unread(names: string): string;
  passagesTitle: string;
  passagesLead: string;
  partsTitle: string;
  disputesTitle: string;
  disputedHead(name: string, period: string, label: string): string;
  correctedHead(name: string, period: string, label: string): string;
  /** Header of the table that answers at a glance: measure, period, lowest, highest. */
  glance: [string, string, string, string];
  closing(counts: ClosingCounts): string;
  /** Parts of the question, word for word. */
  open(parts: string[]): string;
  closingEmpty: string;
  closingPassages: string;
  list(items: string[]): string;
}

const en: Words = {
  name: 'Name',
  undated: 'undated',
  none: '—',
  points: 'percentage points',
  title: (label) => label.charAt(0).toUpperCase() + label.slice(1),
  range: (period, label, low, lowName, high, highName) =>
    `${period === '' ? 'The' : `In ${period} the`} lowest ${label} was ${low} (${lowName}), the highest ${high} (${highName}).`,
  apart: (difference, average) => `They are ${difference} apart; the plain average is ${average}.`,
  mixed: (periods) =>
    `The figures${periods === '' ? '' : ` for ${periods}`} are not all given in one unit, so they are not compared.`,
  disagree: (name, period, values) =>
    `The sources disagree on ${name}${period === '' ? '' : ` in ${period}`}: ${values}.`,
  corrected: (name, period, was, is) =>
    `The figure of ${name}${period === '' ? '' : ` for ${period}`} was corrected from ${was} to ${is}.`,
  missing: (names) => `No figure was found for ${names}.`,
  nothing: (label) => `No figure for ${label} could be extracted from the sources that were read.`,
  reason: 'Sources read later, or the sums made since, change what this block says.',
  unreadTitle: 'Documents not read',
  unreadable: (names) => `These documents could not be read: ${names}.`,
  unread: (names) => `These documents were not read to the end: ${names}.`,
  passagesTitle: 'What the sources say',
  passagesLead: 'No comparable figures were found. These passages are closest to the question:',
  partsTitle: 'Other parts of the question',
  disputesTitle: 'Where the sources differ, word for word',
  disputedHead: (name, period, label) => `${name}, ${label}${period === '' ? '' : `, ${period}`}: in conflict`,
  correctedHead: (name, period, label) => `${name}, ${label}${period === '' ? '' : `, ${period}`}: corrected`,
  glance: ['Measure', 'Period', 'Lowest', 'Highest'],
  closing: ({ labels, figures, conflicts, corrected, missing, unread }) =>
    `The report compares ${labels} with ${figures} cited figure${figures === 1 ? '' : 's'}. Conflicts between sources: ${conflicts}; figures that a source ` +
    `corrects: ${corrected}; figures not found: ${missing}; documents not read, or not to the end: ${unread}. It was put together by a practice model, which is not a language model.`,
  open: (parts) => `Not answered here: ${parts.map((part) => `“${part}”`).join('; ')}.`,
  closingEmpty:
    'The practice model, which is not a language model, found nothing on the question in the sources that were read.',
  closingPassages: 'The report quotes the passages closest to the question. (Practice model: not a language model.)',
  list: (items) => (items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`),
};

const zh: Words = {
  name: '名称',
  undated: '未注明日期',
  none: '—',
  points: '个百分点',
  title: (label) => label,
  range: (period, label, low, lowName, high, highName) =>
    `${period === '' ? '' : `${period}年`}${label}最低为${low}（${lowName}），最高为${high}（${highName}）。`,
  apart: (difference, average) => `两者相差${difference}，简单平均为${average}。`,
  mixed: (periods) => `${periods === '' ? '' : `${periods}年的`}数据单位不一，未作比较。`,
  disagree: (name, period, values) => `${name}${period === '' ? '' : `${period}年`}的数据来源不一致：${values}。`,
  corrected: (name, period, was, is) => `${name}${period === '' ? '' : `${period}年`}的数据已由${was}更正为${is}。`,
  missing: (names) => `未找到以下数据：${names}。`,
  nothing: (label) => `未能从已读来源中提取到${label}的数据。`,
  reason: '后来读到的来源或计算结果改变了本节内容。',
  unreadTitle: '未读文件',
  unreadable: (names) => `以下文件无法读取：${names}。`,
  unread: (names) => `以下文件未读完：${names}。`,
  passagesTitle: '来源原文',
  passagesLead: '未找到可比较的数据。以下段落与问题最接近：',
  partsTitle: '问题的其他部分',
  disputesTitle: '来源分歧与更正的原文',
  disputedHead: (name, period, label) => `${name}${period === '' ? '' : `${period}年`}${label}：来源矛盾`,
  correctedHead: (name, period, label) => `${name}${period === '' ? '' : `${period}年`}${label}：已更正`,
  glance: ['指标', '期间', '最低', '最高'],
  closing: ({ labels, figures, conflicts, corrected, missing, unread }) =>
    `本报告比较了${labels}，共引用${figures}个数据；来源矛盾${conflicts}处，来源自行更正的数据${corrected}个，未找到的数据${missing}个，未读或未读完的文件${unread}个。由练习模型整理，并非语言模型。`,
  open: (parts) => `尚未回答：${parts.map((part) => `“${part}”`).join('；')}。`,
  closingEmpty: '练习模型（并非语言模型）在已读来源中未找到与问题相关的内容。',
  closingPassages: '本报告引用了与问题最接近的段落。（练习模型，并非语言模型。）',
  list: (items) => items.join('、'),
};

export const wordsOf = (language: Language): Words => (language === 'zh' ? zh : en);
