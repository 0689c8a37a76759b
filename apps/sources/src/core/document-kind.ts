import type { DocumentKind } from '@waymark/contracts/sources';

/** What a file is: content first, its name's ending second. `other` says what it is instead. */
export type Detected = { kind: Exclude<DocumentKind, 'other'> } | { kind: 'other'; what: string };

const MAGIC: readonly (readonly [string, string])[] = [
  ['PK\u0003\u0004', 'a ZIP archive or an Office file'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Office file'],
  ['\u0089PNG', 'a PNG picture'],
  ['\u00ff\u00d8\u00ff', 'a JPEG picture'],
  ['GIF8', 'a GIF picture'],
  ['II*\u0000', 'a TIFF picture'],
  ['MM\u0000*', 'a TIFF picture'],
  ['RIFF', 'a sound, picture or film file'],
  ['\u001f\u008b', 'a gzip archive'],
  ['BZh', 'a bzip2 archive'],
  ['\u00fd7zXZ', 'an xz archive'],
  ['7z\u00bc\u00af', 'a 7z archive'],
  ['Rar!', 'a RAR archive'],
  ['\u007fELF', 'a program'],
  ['MZ\u0090', 'a program'],
  ['SQLite format 3', 'a database'],
  ['{\\rtf', 'an RTF file'],
];

/** Looks at the first 64 KiB at most. */
export function detectKind(bytes: Uint8Array, name: string): Detected {
  const head = String.fromCharCode(...bytes.subarray(0, 1024));
  if (head.includes('%PDF-')) return { kind: 'pdf' };
  const magic = MAGIC.find(([mark]) => head.startsWith(mark));
  if (magic) return { kind: 'other', what: magic[1] };
  if (kindByName(name) === 'pdf') return { kind: 'pdf' };
  if (isBinary(bytes.subarray(0, 64 * 1024))) return { kind: 'other', what: 'not text' };
  if (
    /^\W{0,3}\s*(<\?xml[^>]*>\s*)?(<!--((?!-->)[^])*-->\s*)*<(!doctype\s+html|html[\s>])/i.test(
      head.replaceAll('\0', ''),
    )
  ) {
    return { kind: 'html' };
  }
  return { kind: kindByName(name) };
}

const ENDINGS = new Map<string, Exclude<DocumentKind, 'other'>>([
  ['pdf', 'pdf'],
  ['html', 'html'],
  ['htm', 'html'],
  ['xhtml', 'html'],
  ['md', 'md'],
  ['markdown', 'md'],
  ['csv', 'csv'],
  ['tsv', 'csv'],
]);

/** What a name promises; text unless its ending says otherwise. */
export function kindByName(name: string): Exclude<DocumentKind, 'other'> {
  const ending = /\.([a-z0-9]+)$/.exec(name.toLowerCase())?.[1] ?? '';
  return ENDINGS.get(ending) ?? 'txt';
}

/** More than a tenth of control bytes; a NUL here and there is text (F-R7), and UTF-16 is text. */
function isBinary(sample: Uint8Array): boolean {
  let controls = 0;
  let zerosInPlace = 0;
  sample.forEach((byte, i) => {
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) controls += 1;
    if (byte === 0 && i % 2 === 1) zerosInPlace += 1;
  });
  const zeros = sample.reduce((sum, byte) => sum + (byte === 0 ? 1 : 0), 0);
  const skew = zeros === 0 ? 0 : zerosInPlace / zeros;
  const wide =
    (sample[0] === 0xff && sample[1] === 0xfe) ||
    (sample[0] === 0xfe && sample[1] === 0xff) ||
    (zeros > 0.2 * sample.length && controls - zeros < 0.02 * sample.length && (skew > 0.95 || skew < 0.05));
  return !wide && controls > 16 && controls > 0.1 * sample.length;
}
