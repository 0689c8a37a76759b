/**
 * The report as one self-contained page, organised round its question (P7).
 *
 * 1. It needs no script and loads nothing; its own policy forbids both.
 * 2. Every text in it is somebody else's: it enters escaped, or as `html`, which must be harmless.
 * 3. Each `[n]` leads to its citation with the passage, which opens to what stands round it in its source, and leads back:
 *    a figure's ground is two clicks away.
 */
import type { Citation, Report } from '@waymark/contracts/publication';
import { escapeHtml } from './escape-html.js';
import { citationAnchor, sectionAnchor } from './markers.js';
import { PAGE_STYLE } from './page-style.js';
import { hasCitations, headLines, outcomeLine } from './status-lines.js';
import { oneLine } from './visible-text.js';
import { WORDS, type Words } from './words.js';

type Block = Report['blocks'][number];

/** The text of a block, or of the closing (null), as harmless HTML with its markers linked. */
export type TextHtml = (block: Block | null) => string;

/** A longer question stands below its own first words. */
const HEADLINE_CHARACTERS = 240;

export function renderPage(report: Report, html: TextHtml): string {
  const words = WORDS[report.language];
  const body = [
    questionPart(report, words),
    ...headLines(report).map((line) => `<p class="status" role="note">${escapeHtml(line)}</p>`),
    answerPart(report, words, html),
    contents(report, words),
    ...report.blocks.map((block) => section(block, words, html)),
    revisions(report, words),
    list(words.gaps, report.gaps.map(escapeHtml)),
    hasCitations(report) ? `<p class="grounds">${words.ranges}</p>` : '',
    ending(report, words),
  ].join('\n');
  return `<!doctype html>
<html lang="${report.language === 'zh' ? 'zh-Hans' : 'en'}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(headline(report.question))}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

function headline(question: string): string {
  const characters = [...oneLine(question)];
  return characters.length <= HEADLINE_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, HEADLINE_CHARACTERS).join('')}…`;
}

function questionPart({ question }: Report, words: Words): string {
  const short = headline(question);
  const whole = short === question.trim() ? '' : `\n<div class="asked" dir="auto">${escapeHtml(question)}</div>`;
  return `<header><p class="kicker">${words.report}</p><h1 dir="auto">${escapeHtml(short)}</h1>${whole}</header>`;
}

function answerPart(report: Report, words: Words, html: TextHtml): string {
  if (report.closing !== null) {
    return `<section id="answer"><h2>${words.answer}</h2>\n${html(null)}</section>`;
  }
  return report.blocks.length === 0 ? `<p>${words.nothing}</p>` : '';
}

function contents({ blocks }: Report, words: Words): string {
  if (blocks.length < 2) return '';
  const items = blocks.map(
    ({ block, title }) => `<li><a href="#${sectionAnchor(block)}">${escapeHtml(oneLine(title))}</a></li>`,
  );
  return `<nav aria-label="${words.sections}"><h2>${words.sections}</h2><ol>${items.join('')}</ol></nav>`;
}

function section(block: Block, words: Words, html: TextHtml): string {
  const grounds =
    block.citations.length === 0
      ? `<p>${words.noGrounds}</p>`
      : `<ol>\n${block.citations.map((citation, i) => ground(citation, block, i + 1, words)).join('\n')}\n</ol>`;
  return `<section id="${sectionAnchor(block.block)}"><h2 dir="auto">${escapeHtml(oneLine(block.title))}</h2>
${html(block)}
<div class="grounds"><h3>${words.grounds}</h3>
${grounds}</div></section>`;
}

function ground(citation: Citation, { block }: Block, number: number, words: Words): string {
  const { locator, start, end, name, quote, status, reason, label } = citation;
  const failed = status === 'failed';
  const source = name === null ? '' : `<bdi>${escapeHtml(oneLine(name))}</bdi> · `;
  const place = label === undefined ? '' : `${escapeHtml(oneLine(words.label(label)))} · `;
  const where = `<code>${escapeHtml(locator)}</code> ${words.bytes(start, end)}`;
  const failure = failed ? ` <strong>${escapeHtml(words.failed(reason ?? ''))}</strong>` : '';
  const passage = quote === null ? '' : `<blockquote dir="auto">${escapeHtml(quote)}</blockquote>`;
  const back = `<a class="back" href="#${sectionAnchor(block)}" aria-label="${words.back}">↩</a>`;
  const id = citationAnchor(block, number);
  return `<li id="${id}"${failed ? ' class="failed"' : ''}>${source}${place}${where}${failure} ${back}${passage}${inPlace(citation, words)}</li>`;
}

/** The passage among its neighbours, with the header of its table: the second click of a figure's ground. */
function inPlace({ quote, context }: Citation, words: Words): string {
  if (quote === null || context === undefined) return '';
  const { before, after, header } = context;
  const head = header === null ? '' : `<span class="head">${escapeHtml(header)}</span>\n`;
  const text = `${escapeHtml(before)}<mark>${escapeHtml(quote)}</mark>${escapeHtml(after)}`;
  return `<details><summary>${words.inPlace}</summary><pre dir="auto">${head}${text}</pre></details>`;
}

function revisions(report: Report, words: Words): string {
  return list(
    words.revised,
    report.corrections.map(({ block, title, from, to, reason, at }) => {
      const line = escapeHtml(words.corrected(oneLine(title), from, to));
      const why = reason === null ? '' : ` — ${escapeHtml(reason)}`;
      return `<a href="#${sectionAnchor(block)}">${line}</a> <time datetime="${escapeHtml(at)}">(${escapeHtml(at)})</time>${why}`;
    }),
  );
}

const list = (title: string, items: readonly string[]): string =>
  items.length === 0
    ? ''
    : `<section><h2>${title}</h2><ul>\n${items.map((item) => `<li dir="auto">${item}</li>`).join('\n')}\n</ul></section>`;

function ending(report: Report, words: Words): string {
  const line = outcomeLine(report) ?? words.open;
  const code = report.code ? ` <code>${escapeHtml(report.code)}</code>` : '';
  return `<footer><p><strong>${words.outcome}</strong> ${escapeHtml(line)}${code}</p>
<small>${escapeHtml(report.run)} · ${words.version} ${report.version}</small></footer>`;
}
