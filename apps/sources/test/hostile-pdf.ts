import { deflateSync } from 'node:zlib';

/** PDFs made to hurt whoever reads them. All are small; each is a file that pdf.js opens. */

/** Many pages, each the same megabytes of marks without text: minutes of computing in little memory. */
export function busyPdf(mebibytes = 8, pages = 500): Buffer {
  const marks = deflateSync(Buffer.alloc(mebibytes * 1024 * 1024, '/A <</B 0>> BDC EMC\n'));
  const kids = Array.from({ length: pages }, (_, i) => i + 4);
  return pdf(
    [[3, stream('/Filter /FlateDecode', marks)], ...kids.map((number) => [number, page(3)] as const)],
    pages,
    '',
    kids,
  );
}

/** A page whose content unfolds to `mebibytes` of blanks. */
export function bombPdf(mebibytes = 700): Buffer {
  const once = deflateSync(Buffer.alloc(mebibytes * 1024 * 1024, ' '), { level: 1 });
  return pdf([
    [3, page(4)],
    [4, stream('/Filter [/FlateDecode /FlateDecode]', deflateSync(once))],
  ]);
}

/** A page whose content is nothing but opening brackets. */
export function deepPdf(depth = 2_000_000): Buffer {
  return pdf([
    [3, page(4)],
    [4, stream('/Filter /FlateDecode', deflateSync(Buffer.alloc(depth, '[')))],
  ]);
}

/** A PDF that says it has a million pages, all of them the same. */
export function endlessPdf(pages = 1_000_000): Buffer {
  return pdf([[3, page()]], pages);
}

/** Looks encrypted, with a key that no password gives. */
export function lockedPdf(): Buffer {
  const key = '<' + '5a'.repeat(32) + '>';
  const lock = `<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -44 >>`;
  return pdf([[3, page()]], 1, `/Encrypt ${lock} /ID [${key} ${key}]`);
}

const page = (contents?: number): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] ${contents === undefined ? '' : `/Contents ${contents} 0 R `}>>`;

function stream(entries: string, body: Buffer): Buffer {
  const head = `<< ${entries} /Length ${body.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body, Buffer.from('\nendstream', 'latin1')]);
}

function pdf(objects: readonly (readonly [number, string | Buffer])[], pages = 1, trailer = '', kids = [3]): Buffer {
  const all: (readonly [number, string | Buffer])[] = [
    [1, '<< /Type /Catalog /Pages 2 0 R >>'],
    [2, `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${pages} >>`],
    ...objects,
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  for (const [number, body] of all) {
    offsets.push(length);
    const part = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      Buffer.from(body as string, 'latin1'),
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(part);
    length += part.length;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = all.length + 1;
  const tail = `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\n`;
  return Buffer.concat([...parts, Buffer.from(`${tail}startxref\n${length}\n%%EOF\n`, 'latin1')]);
}
