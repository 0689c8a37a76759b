export { heldTablesDdl, type HeldTables } from './held-tables.js';
export { InboxStore, type InboxItem } from './inbox-store.js';
export { LeaseStore, type Claim, type Held, type HeldNews } from './lease-store.js';
export {
  RecordStore,
  type Append,
  type AppendResult,
  type NewBody,
  type NewMessage,
  type NewRow,
  type RowPatch,
  type StoredRecordRow,
} from './record-store.js';
