import PDFDocument from 'pdfkit';
import type { Draft } from './document.js';

const MARGIN = 56;

/** English only: the built-in fonts have no Han characters. Dates are fixed, so that one draft is always the same file. */
export async function writePdf({ title, parts }: Draft): Promise<Uint8Array> {
  const pdf = new PDFDocument({
    margin: MARGIN,
    size: 'A4',
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

function table(pdf: InstanceType<typeof PDFDocument>, rows: string[][]): void {
  const columns = Math.max(...rows.map((row) => row.length));
  const width = (pdf.page.width - 2 * MARGIN) / columns;
  for (const row of rows) {
    if (pdf.y > pdf.page.height - 2 * MARGIN) pdf.addPage();
    const y = pdf.y;
    row.forEach((cell, c) => pdf.text(cell, MARGIN + c * width, y, { width: width - 6, lineBreak: false }));
    pdf.x = MARGIN;
    pdf.y = y + 18;
  }
  pdf.moveDown();
}
