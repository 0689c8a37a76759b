import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Report } from '@waymark/contracts/publication';
import { markerLinks } from '../../core/render/markers.js';
import { renderPage } from '../../core/render/render-page.js';
import { safeHtml } from './safe-html.js';

/** The page of a report. Between two texts other requests get their turn. */
export async function htmlPage(report: Report): Promise<string> {
  const texts = new Map<Report['blocks'][number] | null, string>();
  if (report.closing !== null) {
    texts.set(
      null,
      safeHtml(report.closing, (marker) => markerLinks(marker, report, null)),
    );
  }
  for (const block of report.blocks) {
    await nextTurn();
    texts.set(
      block,
      safeHtml(block.text, (marker) => markerLinks(marker, report, block)),
    );
  }
  return renderPage(report, (block) => texts.get(block) ?? '');
}
