/** One measured fact that a document states. */
export interface Figure {
  entity: string;
  /** A key of `metrics.ts`, or a label in lower case. */
  metric: string;
  /** Empty where the document gives none. */
  period: string;
  value: string;
  unit: string;
  /** Byte range of the evidence in the document. */
  start: number;
  end: number;
  /** Stated as a correction of something said before. */
  corrected: boolean;
}

/** What surrounds a passage: headings above it, the document's title, names already met. */
export interface Context {
  title: string;
  levels: {
    level: number;
    entity?: string;
    metric?: string;
    period?: string;
    unit?: string;
    label?: string;
    corrected?: true;
  }[];
  /** The last table's header, for a table that goes on in the next part. */
  header: string[];
  known: string[];
}

export interface Surroundings {
  entity?: string;
  metric?: string;
  period?: string;
  unit?: string;
  /** A short heading without name or known measure: it may name a measure of its own. */
  label?: string;
  corrected?: true;
}

/** The nearest heading that says it decides. */
export function surroundingsOf({ levels }: Context): Surroundings {
  const all: Surroundings = {};
  for (const { entity, metric, period, unit, label, corrected } of levels) {
    if (entity !== undefined) all.entity = entity;
    if (metric !== undefined) all.metric = metric;
    if (period !== undefined) all.period = period;
    if (unit !== undefined) all.unit = unit;
    if (label !== undefined) all.label = label;
    if (corrected !== undefined) all.corrected = corrected;
  }
  return all;
}
