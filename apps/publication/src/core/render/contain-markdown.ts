/**
 * A model's Markdown as a part of a larger document: it cannot end its section, take over what follows or hide it.
 *
 * 1. Fences stand at the margin, where no list or quotation can end them early, and one that is left open is closed.
 * 2. Its headings are moved below the section's own.
 * 3. Outside fences a zero-width space keeps `<` from opening a tag or comment, and `]:` from making a link definition:
 *    `[1]: …` in one block would take over the markers of all others. It shows as it was written, in code spans too.
 * 4. So it does with pictures, and with links in brackets that lead anywhere but to the web. A bare address stays as it was
 *    written, a mail address too, which some viewers make a link of.
 */
import { visibleText } from './visible-text.js';

interface Fence {
  readonly sign: string;
  readonly length: number;
}

const NOTHING = '\u200b';

export function containMarkdown(text: string, sectionLevel: number): string {
  const out: string[] = [];
  let fence: Fence | null = null;
  /** The line above is text that an underline would make a heading. */
  let below = false;
  for (const line of visibleText(text).split('\n')) {
    if (fence) {
      const end = closes(line, fence);
      out.push(end ? line.trim() : line);
      if (end) fence = null;
      continue;
    }
    fence = opens(line);
    if (fence) out.push(line.trim());
    else if (/^\s*=+\s*$/.test(line)) out.push(below ? heading(1, out.pop()!, sectionLevel) : `\\${line.trim()}`);
    else if (/^\s*-+\s*$/.test(line))
      out.push(...(below ? [heading(2, out.pop()!, sectionLevel)] : rule(line, out.at(-1))));
    else out.push(contained(line, sectionLevel));
    below = !fence && isText(out.at(-1)!);
  }
  if (fence) out.push(fence.sign.repeat(fence.length));
  return out
    .join('\n')
    .replace(/^([ \t]*\n)+/, '')
    .trimEnd();
}

function opens(line: string): Fence | null {
  const found = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  return found ? { sign: found[0]!, length: found.length } : null;
}

function closes(line: string, fence: Fence): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === fence.sign && found.length >= fence.length;
}

const isText = (line: string): boolean => /^ {0,3}(?![#>|\-*+\\]|\d+[.)])\S/.test(line);

/** Kept from being an underline of whatever stands above. */
const rule = (line: string, above = ''): string[] => (above.trim() === '' ? [line] : ['', line]);

const heading = (level: number, text: string, sectionLevel: number): string =>
  `${'#'.repeat(Math.min(6, level + sectionLevel))} ${text.trim()}`.trimEnd();

function contained(line: string, sectionLevel: number): string {
  const title = /^ {0,3}(#{1,6})(?=\s|$)(.*)$/.exec(line);
  return title ? heading(title[1]!.length, harmless(title[2]!), sectionLevel) : harmless(line);
}

const harmless = (line: string): string =>
  line
    .replace(/<(?=[A-Za-z/!?])(?!https?:\/\/[^\s<>]*>)/gi, `<${NOTHING}`)
    .replaceAll(']:', `]${NOTHING}:`)
    .replaceAll('![', `!${NOTHING}[`)
    .replace(/\]\((?!<?https?:\/\/)/gi, `]${NOTHING}(`);
