import type { RecordStore } from "./record-store.js"

/** Two stores that share their records. A store in memory is its own pair. */
export interface StorePair {
  /** A store. */
  readonly store: RecordStore
  /** A second store, such as that of another process. */
  readonly other: RecordStore
}
