import pg from 'pg';

/** The database could not be reached, is going down or has no room: nothing is wrong with the statement. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  const errorClass = error.code?.slice(0, 2);
  return errorClass === '08' || errorClass === '53' || errorClass === '57';
}
