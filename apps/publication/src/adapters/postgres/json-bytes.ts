/** Any value as JSON in bytes, and back unchanged: NUL and lone surrogates are escaped, which UTF-8 alone cannot (F-R7). */
export const toBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), 'utf8');
export const fromBytes = <T>(bytes: Buffer): T => JSON.parse(bytes.toString('utf8')) as T;
