/** The wire: plain JSON over NATS, streams of facts and work, and the object store. */
export { askOwner, toAsked, type Asked, type AskOptions } from './ask-owner.js';
export { Bus, type CallFailure, type CallOptions, type CallResult } from './bus.js';
export { connectNats, reasonOf, type ConnectOptions } from './connect-nats.js';
export { consumeFacts, type ConsumeFactsOptions, type FactLoop } from './consume-facts.js';
export { consumeWork, type ConsumeWorkOptions, type WorkLoop, type WorkOutcome } from './consume-work.js';
export { describeIssues } from './describe-issue.js';
export { fitPage } from './fit-page.js';
export { Handle } from './handle.js';
export { ERROR_CODE_HEADER, ERROR_HEADER, MESSAGE_ID_HEADER, TRACE_HEADER } from './headers.js';
export { isOutage } from './is-outage.js';
export { silent, type Log } from './log.js';
export { ObjectStore, type ObjectRef } from './object-store.js';
export { parseRequest } from './parse-request.js';
export { streamPublisher, type StreamPublisher } from './stream-publisher.js';
export { ensureStreams, findStreams, keepStreams, type KeepOptions } from './streams.js';
export { WaymarkServer, type WaymarkServerOptions } from './waymark-server.js';
export { WireError } from './wire-error.js';
