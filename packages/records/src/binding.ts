// For authors of stores: the parts that all stores have in common.
export {
  type CheckedValue,
  type CollectionRules,
  type CollectionWrite,
  checkWrite,
  closedError,
  fullError,
  readCollectionOptions,
} from "./check-write.js"
