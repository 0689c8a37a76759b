import type { Context, Figure } from '../extract/figure.js';
import type { NoteRecord } from './notes-line.js';

/** What the researcher knows: the fold of its notes. */
export interface Knowledge {
  turns: number;
  documents: Document[];
  /** The whole listing was seen; otherwise the locator after which it goes on. */
  listed: boolean;
  listAfter: string | undefined;
  searched: Set<string>;
  figures: DocumentFigure[];
  calculated: Map<string, string>;
  blocks: Map<string, { version: number; digest: string }>;
  /** Refusals that a block met. */
  refused: Map<string, string[]>;
  passages: Passage[];
  /** Where what was read is stored: the range of the document that a result holds. */
  bodies: StoredBody[];
  /** Passages word for word, from results that were read back. */
  quotes: Passage[];
  /** Steps that are done once: `early`, `review`, `write`, `quote`, `more`. */
  done: Set<string>;
}

export interface Document {
  index: number;
  locator: string;
  kind: string;
  bytes: number;
  ready: boolean;
  name: string;
  title: string;
  /** Byte ranges that were read, and where hits stand. */
  read: [start: number, end: number][];
  hits: number[];
  attempts: Map<number, number>;
  /** What stood above the place at which reading goes on. */
  context: { at: number; context: Context } | undefined;
}

export interface DocumentFigure extends Figure {
  document: number;
}
export interface Passage {
  document: number;
  start: number;
  end: number;
  text: string;
}

export interface StoredBody {
  document: number;
  start: number;
  end: number;
  /** `result:<turn>.<n>` */
  locator: string;
}

export const nothingKnown = (): Knowledge => ({
  turns: 0,
  documents: [],
  listed: false,
  listAfter: undefined,
  searched: new Set(),
  figures: [],
  calculated: new Map(),
  blocks: new Map(),
  refused: new Map(),
  passages: [],
  bodies: [],
  quotes: [],
  done: new Set(),
});

/** Records of unknown kinds are passed over, so that an older text never stops a newer researcher. */
export function learn(known: Knowledge, records: readonly NoteRecord[]): Knowledge {
  for (const record of records) apply(known, record);
  return known;
}

function apply(known: Knowledge, [kind, ...f]: NoteRecord): void {
  const document = known.documents.find((d) => d.index === Number(f[0]));
  switch (kind) {
    case 't':
      known.turns++;
      return;
    case 'd':
      if (!document) known.documents.push(documentOf(f));
      return;
    case 'l':
      known.listed = f[0] === '';
      known.listAfter = f[0] === '' ? undefined : f[0];
      return;
    case 's':
      known.searched.add(f[0] ?? '');
      return;
    case 'h':
      document?.hits.push(Number(f[1]));
      return;
    case 'r':
      document?.read.push([Number(f[1]), Number(f[2])]);
      return;
    case 'a':
      document?.attempts.set(Number(f[1]), (document.attempts.get(Number(f[1])) ?? 0) + 1);
      return;
    case 'x':
      if (document) document.context = { at: Number(f[1]), context: contextFrom(f.slice(2)) };
      return;
    case 'f':
      known.figures.push(figureFrom(f));
      return;
    case 'k':
      known.calculated.set(f[0] ?? '', f[1] ?? '');
      return;
    case 'w':
      known.blocks.set(f[0] ?? '', { version: Number(f[1]), digest: f[2] ?? '' });
      return;
    case 'e':
      known.refused.set(f[0] ?? '', [...(known.refused.get(f[0] ?? '') ?? []), f[1] ?? '']);
      return;
    case 'z':
      known.passages.push({ document: Number(f[0]), start: Number(f[1]), end: Number(f[2]), text: f[3] ?? '' });
      return;
    case 'b':
      known.bodies.push({ document: Number(f[0]), start: Number(f[1]), end: Number(f[2]), locator: f[3] ?? '' });
      return;
    case 'q':
      known.quotes.push({ document: Number(f[0]), start: Number(f[1]), end: Number(f[2]), text: f[3] ?? '' });
      return;
    case 'n':
      known.done.add(f[0] ?? '');
      return;
  }
}

const documentOf = (f: string[]): Document => ({
  index: Number(f[0]),
  locator: f[1] ?? '',
  kind: f[2] ?? '',
  bytes: Number(f[3]),
  ready: f[4] === 'ready',
  name: f[5] ?? '',
  title: f[6] ?? '',
  read: [],
  hits: [],
  attempts: new Map(),
  context: undefined,
});

export const figureRecord = (document: number, f: Figure): NoteRecord => [
  'f',
  String(document),
  f.entity,
  f.metric,
  f.period,
  f.value,
  f.unit,
  String(f.start),
  String(f.end),
  f.corrected ? 'c' : '',
];

const figureFrom = (f: string[]): DocumentFigure => ({
  document: Number(f[0]),
  entity: f[1] ?? '',
  metric: f[2] ?? '',
  period: f[3] ?? '',
  value: f[4] ?? '',
  unit: f[5] ?? '',
  start: Number(f[6]),
  end: Number(f[7]),
  corrected: f[8] === 'c',
});

/** Title, header cells, and the heading levels as `level entity metric period unit label corrected`, tab-separated. */
export const contextRecord = (document: number, at: number, { title, header, levels }: Context): NoteRecord => [
  'x',
  String(document),
  String(at),
  title,
  header.join('\t'),
  ...levels.map((l) =>
    [l.level, l.entity ?? '', l.metric ?? '', l.period ?? '', l.unit ?? '', l.label ?? '', l.corrected ? 'c' : ''].join(
      '\t',
    ),
  ),
];

function contextFrom([title = '', header = '', ...levels]: string[]): Context {
  return {
    title,
    header: header === '' ? [] : header.split('\t'),
    known: [],
    levels: levels.map((text) => {
      const [level, entity, metric, period, unit, label, corrected] = text.split('\t');
      return {
        level: Number(level),
        ...(entity ? { entity } : {}),
        ...(metric ? { metric } : {}),
        ...(period ? { period } : {}),
        ...(unit ? { unit } : {}),
        ...(label ? { label } : {}),
        ...(corrected ? { corrected: true as const } : {}),
      };
    }),
  };
}
