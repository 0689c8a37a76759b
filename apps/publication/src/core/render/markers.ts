/**
 * Markers by which a text names its grounds: `[2]` or `[1, 3]` are citations of its own block, `[revenue]` is a section,
 * `[revenue:2]` a citation of that section, shown as `[1.2]` where it is the first. Anything else in brackets is ordinary text.
 */
import type { Report } from '@waymark/contracts/publication';

export interface MarkerLink {
  readonly label: string;
  readonly anchor: string;
  readonly failed: boolean;
}
type Block = Report['blocks'][number];

export const sectionAnchor = (block: string): string => `b-${block}`;
export const citationAnchor = (block: string, number: number): string => `c-${block}-${number}`;

/** The links of what stands between two brackets; `at` is the block in which it stands, null in the closing text. */
export function markerLinks(marker: string, report: Report, at: Block | null): readonly MarkerLink[] | null {
  if (at && /^\d{1,3}(\s*[,\uff0c\u3001]\s*\d{1,3})*$/.test(marker)) {
    return all(marker.split(/[,\uff0c\u3001]/).map((number) => citationLink(at, Number(number))));
  }
  const named = /^([a-z0-9][a-z0-9-]{0,63})(?::(\d{1,3}))?$/.exec(marker);
  const place = report.blocks.findIndex((candidate) => candidate.block === named?.[1]);
  const block = report.blocks[place];
  if (!named || !block) return null;
  if (named[2] === undefined) return [{ label: marker, anchor: sectionAnchor(block.block), failed: false }];
  const link = citationLink(block, Number(named[2]));
  return link && [{ ...link, label: `${place + 1}.${link.label}` }];
}

function citationLink({ block, citations }: Block, number: number): MarkerLink | null {
  const citation = citations[number - 1];
  return citation
    ? { label: String(number), anchor: citationAnchor(block, number), failed: citation.status === 'failed' }
    : null;
}

const all = (links: readonly (MarkerLink | null)[]): readonly MarkerLink[] | null =>
  links.every((link) => link !== null) ? links : null;
