/** What the checks read of a stored fact, of a run's record or a review's. */
export interface StoredFact {
  readonly type?: string;
  readonly request?: number;
  readonly reservation?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly code?: string;
  readonly body?: { readonly digest: string };
}

/** A row that is no JSON any more says nothing: the chain names it. */
export function factIn(body: Buffer): StoredFact {
  try {
    return JSON.parse(body.toString('utf8')) as StoredFact;
  } catch {
    return {};
  }
}
