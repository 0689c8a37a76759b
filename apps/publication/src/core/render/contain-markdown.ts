/**
 * A model's Markdown as a part of a larger document: it cannot end its section or swallow what follows.
 *
 * 1. A fence that it leaves open is closed.
 * 2. Its headings are moved below the section's own.
 * 3. Raw HTML outside code is shown as text, so that an open comment or tag hides nothing.
 * 4. Link definitions are shown as text: `[1]: …` in one block would take over the markers of all others.
 */
import { visibleText } from './visible-text.js';

interface Fence {
  readonly sign: string;
  readonly length: number;
}

export function containMarkdown(text: string, sectionLevel: number): string {
  const out: string[] = [];
  let fence: Fence | null = null;
  for (const line of visibleText(text).split('\n')) {
    if (fence) {
      out.push(line);
      if (closes(line, fence)) fence = null;
      continue;
    }
    fence = opens(line);
    if (fence) out.push(line);
    else if (isUnderline(line, out.at(-1)))
      out.push(heading(line.includes('=') ? 1 : 2, out.pop()!.trim(), sectionLevel));
    else out.push(contained(line, sectionLevel));
  }
  if (fence) out.push(fence.sign.repeat(fence.length));
  return out.join('\n').trim();
}

function opens(line: string): Fence | null {
  const found = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  return found ? { sign: found[0]!, length: found.length } : null;
}

function closes(line: string, fence: Fence): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === fence.sign && found.length >= fence.length;
}

/** `===` or `---` below a line of text makes that line a heading. */
const isUnderline = (line: string, above: string | undefined): boolean =>
  /^ {0,3}(=+|-+)[ \t]*$/.test(line) && above !== undefined && /^ {0,3}[^\s#>|\-*+]/.test(above);

const heading = (level: number, text: string, sectionLevel: number): string =>
  `${'#'.repeat(Math.min(6, level + sectionLevel))} ${text}`;

function contained(line: string, sectionLevel: number): string {
  const title = /^ {0,3}(#{1,6})([ \t].*)?$/.exec(line);
  if (title) return heading(title[1]!.length, withoutHtml((title[2] ?? '').trim()), sectionLevel);
  if (/^( {4}|\t)/.test(line)) return line;
  return withoutHtml(line.replace(/^((?: {0,3}>)* {0,3})\[(?=[^\]]+\]:)/, '$1\\['));
}

/** Escapes `<` where HTML could begin; code spans and `<https://…>` stay as they are. */
const withoutHtml = (line: string): string =>
  line.replace(/(`+)(?:(?!`)[^\n]*?[^`])?\1(?!`)|<(?!https?:\/\/)(?=[A-Za-z/!?])/g, (found) =>
    found === '<' ? '&lt;' : found,
  );
