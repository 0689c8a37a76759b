/** Waymark for callers, over NATS alone. */
export { readFolder, type FolderContents, type FolderFile, type LeftOut } from './read-folder.js';
export { FEED_OWNERS, type FeedOwner } from './owner-events.js';
export { type Cursors, type FeedOptions, RunFeed } from './run-feed.js';
export type { RecordRow } from './stored-record.js';
export type { UploadedFile, UploadedFolder, UploadOptions } from './upload.js';
export { WaymarkClient, type ClientOptions, type Explanation } from './waymark-client.js';
export { WaymarkError } from './waymark-error.js';
