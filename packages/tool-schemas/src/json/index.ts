export { SchemaError } from "../schema-error.js"
export { type Bytes, fromBase64, isBytes, toBase64 } from "./bytes.js"
export { cleanLine, cleanText } from "./clean-text.js"
export { compareText, hasMethod, isRecord, type JsonValue, memberOf, parseJson, toWellFormed } from "./json-value.js"
export {
  findOptionFault,
  type NumberRule,
  type OptionRule,
  type OptionRules,
  showShort,
  withDefaults,
} from "./option-fault.js"
export { findByPointer, formatPointer, parsePointer, stepInto } from "./pointer.js"
export { sameValue } from "./same-value.js"
export { endsLikeShortHash, SHORT_HASH_LENGTH, shortHash } from "./short-hash.js"
export { jsonSize, type Place, shorten, showJson } from "./shorten.js"
export { type JsonLimits, knownJson, toJson, toJsonText } from "./to-json.js"
