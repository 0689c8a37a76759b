/**
 * Markdown of a model to harmless HTML, in two lines of defence:
 *
 * 1. raw HTML is shown as text, images as their description; link definitions and schemes other than http(s) do nothing;
 * 2. what comes out passes a list of allowed tags and attributes.
 */
import { Marked, type Tokens } from 'marked';
import sanitizeHtml from 'sanitize-html';
import { escapeHtml } from '../../core/render/escape-html.js';
import type { MarkerLink } from '../../core/render/markers.js';
import { visibleText } from '../../core/render/visible-text.js';

/** Headings of a block stand below the section's own h2. */
const SECTION_LEVEL = 2;
/** Characters; a block has fewer bytes, so only a closing text can be longer. */
const LARGEST_MARKDOWN = 64 * 1024;
const TANGLE_LIMIT = 100e6;
/** Quotations and lists begun within each other on one line. */
const DEEP = /^[ \t]*(?:>[ \t]?|[-*+][ \t]+|\d{1,9}[.)][ \t]+){40}/m;
const MARKER = /^\[([^\][\n]{1,80})\](?!\()/;

/** What stands between two brackets leads somewhere, or is plain text (null). */
export type Links = (marker: string) => readonly MarkerLink[] | null;

export function safeHtml(markdown: string, links: Links): string {
  const text = visibleText(markdown);
  if (isTangled(text)) return asWritten(text);
  try {
    return sanitize(markedFor(links).parse(text, { async: false }));
  } catch {
    return asWritten(text); // nested so deep that the parser's stack ran out
  }
}

const asWritten = (text: string): string => `<pre>${escapeHtml(text)}</pre>`;

/**
 * The parser's time grows with signs × length of a paragraph, about 5 ns each, and stalls the whole replica. What no
 * author writes is shown as it was written.
 */
function isTangled(text: string): boolean {
  if (text.length > LARGEST_MARKDOWN || DEEP.test(text)) return true;
  return text
    .split(/\n[ \t]*\n/)
    .some((part) => (part.match(/[_*~[\]<&!`\\]/g)?.length ?? 0) * part.length > TANGLE_LIMIT);
}

function markedFor(links: Links): Marked {
  return new Marked({
    gfm: true,
    extensions: [
      {
        name: 'marker',
        level: 'inline',
        start: (source) => source.indexOf('['),
        tokenizer(source) {
          const found = MARKER.exec(source);
          const to = found && links(found[1]!);
          return to ? { type: 'marker', raw: found[0], to } : undefined;
        },
        renderer: ({ to }) => markerHtml(to as readonly MarkerLink[]),
      },
    ],
    // What no tokenizer takes is text, and text is escaped.
    tokenizer: { def: () => undefined, html: () => undefined, tag: () => undefined },
    renderer: {
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      heading({ tokens, depth }: Tokens.Heading) {
        const level = Math.min(6, depth + SECTION_LEVEL);
        return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
      },
    },
  });
}

const markerHtml = (links: readonly MarkerLink[]): string =>
  links
    .map(({ label, anchor, failed }) => `<a class="cite${failed ? ' failed' : ''}" href="#${anchor}">[${label}]</a>`)
    .join('');

function sanitize(html: string): string {
  return sanitizeHtml(html, {
    allowedTags: [
      ...[
        'p',
        'br',
        'hr',
        'h3',
        'h4',
        'h5',
        'h6',
        'ul',
        'ol',
        'li',
        'blockquote',
        'pre',
        'code',
        'em',
        'strong',
        'del',
      ],
      ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'input'],
    ],
    allowedAttributes: {
      a: ['href', 'title', 'class', 'rel'],
      ol: ['start'],
      th: ['align'],
      td: ['align'],
      input: ['type', 'checked', 'disabled'],
    },
    allowedSchemes: ['http', 'https'],
    allowProtocolRelative: false,
    disallowedTagsMode: 'escape',
    transformTags: {
      // Within the page or to the web; a relative address would lead into the reader's own folders.
      a(tagName, { href = '', ...attribs }) {
        if (href.startsWith('#')) return { tagName, attribs: { ...attribs, href } };
        const web: Record<string, string> = /^https?:\/\//i.test(href)
          ? { href, rel: 'noopener noreferrer nofollow' }
          : {};
        return { tagName, attribs: { ...attribs, ...web } };
      },
    },
  });
}
