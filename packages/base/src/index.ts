export { type BackoffLimits, backoff } from "./backoff.js"
export { type Bytes, base64ToText, fromBase64, isBytes, textToBase64, toBase64 } from "./bytes.js"
export { cleanLine, cleanText } from "./clean-text.js"
export { CodedError, type CodedErrorOptions } from "./coded-error.js"
export { cutText } from "./cut-text.js"
export { createDeferred, type Deferred } from "./deferred.js"
export {
  compareText,
  hasMethod,
  isOfType,
  isRecord,
  type JsonValue,
  memberOf,
  parseJson,
  toWellFormed,
  typeOf,
} from "./json-value.js"
export { isLocalHost, isLoopbackAddress, LOCAL_HOSTS } from "./local-host.js"
export {
  findOptionFault,
  type NumberRule,
  type OptionRule,
  type OptionRules,
  showShort,
  withDefaults,
} from "./option-fault.js"
export { isPlainJson } from "./plain-json.js"
export { findByPointer, formatPointer, parsePointer, stepInto } from "./pointer.js"
export { sameValue } from "./same-value.js"
export { endsLikeShortHash, SHORT_HASH_LENGTH, shortHash } from "./short-hash.js"
export { jsonSize, type Place, shorten, showJson } from "./shorten.js"
export { type JsonLimits, knownJson, toJson, toJsonText } from "./to-json.js"
export { toMessage } from "./to-message.js"
export { unref } from "./unref.js"
