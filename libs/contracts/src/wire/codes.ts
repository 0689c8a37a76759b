/** Every code of an error, once, with what it means. A code never changes its meaning. */
export const CODES = {
  malformed_json: 'the body is not JSON in UTF-8',
  body_too_large: 'the request has more bytes than a message may have',
  reply_too_large: 'the reply would have more bytes than a message may have: ask for a smaller page or range',
  unknown_field: 'a field that this subject does not know; nothing is ignored',
  missing_field: 'a field that must be there is not',
  invalid_field: 'a field has the wrong type, or a value that is not taken; `remedy` says which are',
  unknown_run: 'the owner knows no such run; all but the runtime hear of a run when it begins',
  unavailable: 'the service does not reach its database, the broker or another owner; it may have been carried out',
  internal: 'the service failed; its log knows the error id in `message`',

  empty_question: 'the question has no words',
  question_too_large: 'the question has too many bytes, in itself or for the hard limit of the requests',
  unknown_policy: 'there is no policy of that name',
  limit_too_short: 'a time limit is under 60 s',
  reserve_too_small: 'the finish reserve cannot carry the finish requests',
  physical_too_small: 'there are fewer physical requests than the finish reserve',
  hard_limit_too_small: 'the hard limit has no room for notices and the map of the report',
  unknown_corpus: 'the corpus holds no document',
  key_reused: 'the key started another request before; the same key must bring the same request',
  unknown_request: 'the run made no request of that number',
  unknown_body: 'the run has no body of that digest',
  unknown_block: 'the report has no such block',
  unknown_review: 'the run has no such review, or it has not begun',
  bad_name: 'the name of a document is no short relative path',
  unknown_object: 'the object store holds no such object',
  object_mismatch: 'the object has another size or digest than was said',
  unknown_locator: 'the corpus has no such document',
  not_ready: 'the document has not been parsed yet',
  unreadable: 'the document has no text that could be read',
  empty_range: 'the range holds nothing',
  range_outside: 'the range begins past the end of the text',
  block_too_large: 'the text is larger than a block may be',
} as const satisfies Readonly<Record<string, string>>;
export type ErrorCode = keyof typeof CODES;

/** Codes that any subject may answer with. */
export const WIRE_CODES = [
  'malformed_json',
  'body_too_large',
  'reply_too_large',
  'unknown_field',
  'missing_field',
  'invalid_field',
  'unknown_run',
  'unavailable',
  'internal',
] as const satisfies readonly ErrorCode[];
