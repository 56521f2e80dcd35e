// For authors: what it takes to write a service.

export type { AudioBlock, Block, ImageBlock, ResourceBlock, ResourceLinkBlock, TextBlock } from "./content.js"
export { type Content, content } from "./content.js"
export { createAgenticService, type ServiceDefinition } from "./create-agentic-service.js"
export {
  type ActionDeclaration,
  type ActionOptions,
  type AnyActionOptions,
  action,
  type FullActionOptions,
  type InputActionOptions,
  type OutputActionOptions,
  type PlainActionOptions,
} from "./declare/action.js"
export { type LazyLinkOptions, type LinkDeclaration, type LinkOptions, link } from "./declare/link.js"
export { type LinksOptions, links } from "./declare/links.js"
export type { Result, UntypedResult } from "./declare/result.js"
export {
  type JsonStateOptions,
  type MediaStateOptions,
  type StateDeclaration,
  type StateOptions,
  state,
} from "./declare/state.js"
export type { Answers, ExecuteContext, Principal, Progress, Question, Questions } from "./execute-context.js"
export { type Failed, type FailOptions, fail } from "./fail.js"
export { type ForeignOptions, toAgenticService } from "./foreign/to-agentic-service.js"
export type { AnySchema, AuthoredJsonSchema, DeepReadonly, InputOf, StandardSchema, ValueOf } from "./infer.js"
export type { Condition, When } from "./maps/when.js"
export type { JsonSchema } from "./schema.js"
// ── For other libraries: what a service looks like from outside. ──────────────────────────────────
export type {
  Action,
  ActionDefinition,
  Actions,
  AgenticService,
  Checked,
  Declared,
  DeclaredMember,
  Failure,
  Hints,
  Issue,
  Link,
  LinkDefinition,
  Links,
  MemberFailure,
  Outcome,
  State,
  StateDefinition,
  States,
  Success,
} from "./service.js"
export { ServiceError, type ServiceErrorCode, type ServiceErrorOptions } from "./service-error.js"
export type { Observe, Source, Store, StoreReader, StoreSubscription } from "./sources/source.js"
export { toObservable } from "./sources/to-observable.js"
