/**
 * The researcher's memory: records that stand in one line of its own texts, `Notes[[f|1|…;r|1|…]]`. The line holds no
 * quote, backslash or line end, so that it survives being put inside JSON, a summary, or both.
 */
export type NoteRecord = readonly [kind: string, ...fields: string[]];

const SPECIAL = /[%|;[\]"\\\u0000-\u001f]/gu;

export function encodeNotes(records: readonly NoteRecord[]): string {
  const field = (text: string): string =>
    text.replace(SPECIAL, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return records.length === 0 ? '' : `Notes[[${records.map((record) => record.map(field).join('|')).join(';')}]]`;
}

/** All records of all note lines in a text, in order. */
export function decodeNotes(text: string): NoteRecord[] {
  const field = (raw: string): string =>
    raw.replace(/%([0-9a-f]{2})/gu, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return [...text.matchAll(/Notes\[\[([^[\]]*)\]\]/gu)].flatMap((m) =>
    (m[1] ?? '')
      .split(';')
      .filter((record) => record !== '')
      .map((record): NoteRecord => {
        const [kind = '', ...fields] = record.split('|').map(field);
        return [kind, ...fields];
      }),
  );
}
