/** What a caller needs and no more: a program that only asks does not load the framework that services run on. */
export { Bus, type CallFailure, type CallOptions, type CallResult } from './bus.js';
export { connectNats, reasonOf, type ConnectOptions } from './connect-nats.js';
export { ObjectStore, type ObjectRef } from './object-store.js';
export { WireError } from './wire-error.js';
