/** SHA-256 of a text in lower-case hex; an argument, so that the core stays free of node. */
export type HexDigest = (text: string) => string;

/**
 * The stable name of a document: equal corpus, name and content give the same locator on every replica, so adding twice
 * is one document. 16 hex digits: short enough for a model to repeat, 2³² documents before two of a corpus may meet.
 */
export function locatorOf(sha256: HexDigest, corpus: string, name: string, digest: string): string {
  return `doc:${sha256(JSON.stringify(['waymark.sources.document.v1', corpus, name, digest])).slice(0, 16)}`;
}
