export type { JsonSchema, ObjectSchema } from "./json-schema.js"
export { memoise } from "./memoise.js"
export { type ParamHeader, type ParamHeaders, readParamHeaders } from "./param-headers.js"
export { type ProfileName, profileNames } from "./profile-name.js"
export {
  type PublishedInput,
  type PublishedOutput,
  type PublishOptions,
  publish,
  publishOutput,
} from "./publish.js"
export { SchemaError, type SchemaErrorCode } from "./schema-error.js"
export type { SchemaChange } from "./shape/shape.js"
export type { ValuePath } from "./way.js"
