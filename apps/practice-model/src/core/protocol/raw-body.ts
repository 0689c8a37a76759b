/** A request's body, one character per byte: a string, or bytes that are read where they lie. */
export type RawBody = Pick<string, 'length' | 'indexOf' | 'lastIndexOf' | 'slice'>;
