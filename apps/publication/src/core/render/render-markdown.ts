/** The report as one Markdown text, organised round its question (P7). */
import type { Citation, Report } from '@waymark/contracts/publication';
import { containMarkdown } from './contain-markdown.js';
import { hasCitations, headLines, outcomeLine } from './status-lines.js';
import { oneLine, visibleText } from './visible-text.js';
import { WORDS, type Words } from './words.js';

type Block = Report['blocks'][number];

export function renderMarkdown(report: Report): string {
  const words = WORDS[report.language];
  const empty = report.closing === null && report.blocks.length === 0;
  return [
    `# ${words.report}`,
    `**${words.question}**`,
    quoted(report.question),
    ...headLines(report).map((line) => `> ${line}`),
    ...(report.closing === null ? [] : [`## ${words.answer}`, containMarkdown(report.closing, 2)]),
    ...(empty ? [words.nothing] : []),
    ...report.blocks.flatMap((block) => section(block, words)),
    ...list(words.revised, revisionLines(report, words)),
    ...list(words.gaps, report.gaps.map(plain)),
    ...(hasCitations(report) ? [`*${words.ranges}*`] : []),
    ...ending(report, words),
  ]
    .join('\n\n')
    .concat('\n');
}

function section(block: Block, words: Words): string[] {
  return [
    `## ${plain(block.title)}`,
    containMarkdown(block.text, 2),
    `**${words.grounds}**`,
    block.citations.length === 0
      ? words.noGrounds
      : block.citations.map((citation, index) => ground(citation, index + 1, words)).join('\n'),
  ];
}

function ground(citation: Citation, number: number, words: Words): string {
  const { locator, start, end, name, quote, status, reason, label, context } = citation;
  const source = name === null ? '' : `${plain(name)}, `;
  const place = label === undefined ? '' : `${plain(words.label(label))}, `;
  const failure = status === 'failed' ? ` **${words.failed(plain(reason ?? ''))}**` : '';
  const head = `- \\[${number}\\] ${source}${place}\`${locator}\` ${words.bytes(start, end)}${failure}`;
  const header = context?.header ? `${quoted(context.header, '  ')}\n  >\n` : '';
  return quote === null ? head : `${head}\n\n${header}${quoted(quote, '  ')}\n`;
}

function revisionLines(report: Report, words: Words): string[] {
  return report.corrections.map(({ title, from, to, reason, at }) => {
    const why = reason === null ? '' : ` — ${plain(reason)}`;
    return `${words.corrected(plain(title), from, to)} (${at})${why}`;
  });
}

function ending(report: Report, words: Words): string[] {
  const line = outcomeLine(report);
  const code = report.code ? ` (\`${oneLine(report.code).replaceAll('`', "'")}\`)` : '';
  return line === null ? [] : ['---', `**${words.outcome}** ${plain(line)}${code}`];
}

const list = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`## ${title}`, lines.map((line) => `- ${line}`).join('\n')];

/** Words of others on one line: nothing in them is Markdown. */
const plain = (text: string): string =>
  oneLine(text)
    .replace(/[\\`*_[\]|~#!&]/g, (sign) => `\\${sign}`)
    .replace(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;'))
    .replace(/^[-+]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');

/** Words of others as a quotation, line for line: nothing in them is Markdown. */
const quoted = (text: string, indent = ''): string =>
  visibleText(text)
    .split('\n')
    .map((line) => `${indent}> ${plain(line)}`.trimEnd())
    .join('\n');
