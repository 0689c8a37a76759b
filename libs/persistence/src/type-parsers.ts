import pg from 'pg';

const INT8 = 20;

function int8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a bigint of the database does not fit a number');
  return value;
}

/** Of one pool, not of the process: `bigint` as number. A larger one is a defect and throws. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary' ? int8 : pg.types.getTypeParser(oid, format as 'text')) as never,
};
