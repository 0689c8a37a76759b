import PDFDocument from 'pdfkit';
import type { Draft } from './document.js';

const MARGIN = 56;

/** English only: the built-in fonts have no Han characters. Dates are fixed, so that one draft is always the same file. */
export async function writePdf({ title, parts }: Draft): Promise<Uint8Array> {
  const pdf = new PDFDocument({
    margin: MARGIN,
    size: 'A4',
    // A compressor may change with Node's release, and the file must not.
    compress: false,
    info: { Title: title, CreationDate: new Date(0), ModDate: new Date(0) },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const done = new Promise<void>((resolve, reject) => {
    pdf.on('end', () => resolve());
    pdf.on('error', reject);
  });
  pdf.font('Helvetica-Bold').fontSize(18).text(title).moveDown();
  for (const part of parts) {
    pdf.font('Helvetica').fontSize(11);
    if (part.kind === 'heading') pdf.font('Helvetica-Bold').fontSize(13).text(part.text, MARGIN).moveDown(0.5);
    else if (part.kind === 'paragraph') pdf.text(part.text, MARGIN).moveDown();
    else if (part.kind === 'pairs') {
      for (const [label, value] of part.pairs) pdf.text(`${label}: ${value}`, MARGIN);
      pdf.moveDown();
    } else {
      if (part.caption) pdf.text(part.caption, MARGIN);
      table(pdf, [part.header, ...part.rows]);
    }
  }
  pdf.end();
  await done;
  return new Uint8Array(Buffer.concat(chunks));
}

/** Cells in one line each; a wide table gets a page of its own, on its side. */
function table(pdf: InstanceType<typeof PDFDocument>, rows: string[][]): void {
  const columns = Math.max(...rows.map((row) => row.length));
  const first = 190;
  if (columns > 4 && pdf.page.layout !== 'landscape') pdf.addPage({ layout: 'landscape', size: 'A4', margin: MARGIN });
  const width = (pdf.page.width - 2 * MARGIN - first) / Math.max(1, columns - 1);
  pdf.fontSize(9);
  for (const row of rows) {
    if (pdf.y > pdf.page.height - 2 * MARGIN)
      pdf.addPage({ layout: columns > 4 ? 'landscape' : 'portrait', size: 'A4', margin: MARGIN });
    const y = pdf.y;
    row.forEach((cell, c) =>
      pdf.text(cell, c === 0 ? MARGIN : MARGIN + first + (c - 1) * width, y, { lineBreak: false }),
    );
    pdf.x = MARGIN;
    pdf.y = y + 16;
  }
  pdf.moveDown();
}
