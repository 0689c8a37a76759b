export { deliveryOf } from './agreement.js';
export { likeliestArrival, wasAnswered } from './arrivals.js';
export { decodeFact, decodeText, encodeFact, encodeText } from './canonical.js';
export { concat, genesisHash, linkHash, toHex, type DigestFunction, type Link } from './chain.js';
export {
  PART_KINDS,
  RECORD_FORMAT,
  type ActionKind,
  type ActionSettled,
  type AnyFact,
  type Frame,
  type MainPurpose,
  type NoticeLine,
  type NoticesRecord,
  type PartKind,
  type PartSizes,
  type ReadRange,
  type RecordFact,
  type RecordFactType,
  type RequestIntended,
  type RequestPurpose,
  type RequestSettled,
  type RunAdmitted,
  type TextRef,
} from './facts.js';
export {
  cutAtCharacter,
  encodeAnswer,
  plainName,
  storedAnswer,
  stubText,
  textOf,
  type BodyLookup,
  type StoredAnswer,
} from './part-text.js';
export { assemble, partColumn, partKind, rendererOf, RENDERERS, type Dialect } from './render.js';
export type { RenderedHead, Renderer } from './renderer.js';
export { renderSummarize } from './summarize.js';
export {
  evolveTranscript,
  findResult,
  newTranscript,
  partsOf,
  resultPartId,
  type Entry,
  type OpenTurn,
  type Part,
  type ResultEntry,
  type ResultForm,
  type Transcript,
} from './transcript.js';
export { verifyRecord, type Finding, type ProviderCall, type StoredRow, type Verification } from './verify.js';
