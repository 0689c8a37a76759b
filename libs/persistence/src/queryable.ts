/** What a `Db` and an open transaction have in common. `bigint` arrives as number, `bytea` as Buffer, errors as they are. */
export interface Queryable {
  /** The rows; a statement that changes rows returns them by `RETURNING`. */
  query<T = Record<string, unknown>>(sql: string, params?: readonly unknown[]): Promise<T[]>;
  /** Hot paths: planned once per connection under `name`, which belongs to this very text. */
  prepared<T = Record<string, unknown>>(name: string, sql: string, params?: readonly unknown[]): Promise<T[]>;
}

/** An open transaction. */
export type Tx = Queryable;
