export { createMemoryRecords } from "./memory-records.js"
export {
  type CollectionOptions,
  type CreateOptions,
  type ListOptions,
  type RecordChange,
  type RecordCollection,
  RecordError,
  type RecordErrorCode,
  type RecordLimits,
  type RecordStore,
  type StoredRecord,
} from "./record-store.js"
