import type { CorpusFile, Draft, Part } from './document.js';
import { writePdf } from './write-pdf.js';

export async function writeDocument(draft: Draft): Promise<CorpusFile> {
  const { name, kind } = draft;
  switch (kind) {
    case 'md':
      return plain(name, kind, markdown(draft));
    case 'txt':
      return plain(name, kind, text(draft));
    case 'csv':
      return plain(name, kind, csv(draft));
    case 'html':
      return { name, kind, bytes: encode(html(draft)), text: rendered(draft, ' | ') };
    case 'pdf':
      return { name, kind, bytes: await writePdf(draft), text: rendered(draft, ' ') };
    default:
      return kind satisfies never;
  }
}

const encode = (s: string): Uint8Array => new TextEncoder().encode(s);
const plain = (name: string, kind: CorpusFile['kind'], s: string): CorpusFile => ({
  name,
  kind,
  bytes: encode(s),
  text: s,
});

function markdown({ title, parts }: Draft): string {
  const out = [`# ${title}`];
  for (const part of parts) {
    if (part.kind === 'heading') out.push(`## ${part.text}`);
    else if (part.kind === 'paragraph') out.push(part.text);
    else if (part.kind === 'pairs') out.push(part.pairs.map(([label, value]) => `- **${label}**: ${value}`).join('\n'));
    else {
      const rows = [part.header, part.header.map(() => '---'), ...part.rows].map((row) => `| ${row.join(' | ')} |`);
      out.push([...(part.caption ? [`${part.caption}\n`] : []), ...rows].join('\n'));
    }
  }
  return `${out.join('\n\n')}\n`;
}

function text({ title, parts, language }: Draft): string {
  const out = [`${title}\n${'='.repeat(Math.max(8, title.length))}`];
  for (const part of parts) {
    if (part.kind === 'heading') out.push(`${part.text}\n${'-'.repeat(Math.max(8, part.text.length))}`);
    else if (part.kind === 'paragraph') out.push(language === 'zh' ? part.text : wrap(part.text, 76));
    else if (part.kind === 'pairs') out.push(part.pairs.map(([label, value]) => `${label}: ${value}`).join('\n'));
    else out.push([...(part.caption ? [part.caption] : []), aligned([part.header, ...part.rows])].join('\n'));
  }
  return `${out.join('\n\n')}\n`;
}

function csv({ parts }: Draft): string {
  const quote = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell);
  const rows = parts.flatMap((part) => (part.kind === 'table' ? [part.header, ...part.rows] : []));
  return `${rows.map((row) => row.map(quote).join(',')).join('\n')}\n`;
}

function html({ title, parts, language }: Draft): string {
  const esc = (s: string): string => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const row = (cells: string[], tag: string): string =>
    `<tr>${cells.map((c) => `<${tag}>${esc(c)}</${tag}>`).join('')}</tr>`;
  const piece = (part: Part): string => {
    if (part.kind === 'heading') return `<h2>${esc(part.text)}</h2>`;
    if (part.kind === 'paragraph') return `<p>${esc(part.text)}</p>`;
    if (part.kind === 'pairs') {
      return `<ul>${part.pairs.map(([label, value]) => `<li><strong>${esc(label)}</strong>: ${esc(value)}</li>`).join('\n')}</ul>`;
    }
    const caption = part.caption ? `<caption>${esc(part.caption)}</caption>` : '';
    return `<table>${caption}\n<thead>${row(part.header, 'th')}</thead>\n<tbody>\n${part.rows.map((r) => row(r, 'td')).join('\n')}\n</tbody></table>`;
  };
  return [
    `<!doctype html>\n<html lang="${language}"><head><meta charset="utf-8"><title>${esc(title)}</title>`,
    '<style>td{padding:2px}</style><script>var figures = [99.99];</script></head>',
    `<body><nav><a href="#">Home</a></nav><main><article><h1>${esc(title)}</h1>`,
    ...parts.map(piece),
    '</article></main></body></html>\n',
  ].join('\n');
}

/** As an extractor would give it that keeps lines and puts `gap` between cells. */
function rendered({ title, parts }: Draft, gap: string): string {
  const out = [title];
  for (const part of parts) {
    if (part.kind === 'table') out.push([part.header, ...part.rows].map((row) => row.join(gap)).join('\n'));
    else if (part.kind === 'pairs') out.push(part.pairs.map(([label, value]) => `${label}: ${value}`).join('\n'));
    else out.push(part.text);
  }
  return `${out.join('\n\n')}\n`;
}

function aligned(rows: string[][]): string {
  const widths = rows[0]?.map((_, c) => Math.max(...rows.map((row) => (row[c] ?? '').length))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, c) => cell.padEnd((widths[c] ?? 0) + 3))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

export function wrap(paragraph: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
