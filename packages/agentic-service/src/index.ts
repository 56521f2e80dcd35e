// For authors: what it takes to write a service.

export { type Content, content } from "./content.js"
export { createAgenticService, type ServiceDefinition } from "./create-agentic-service.js"
export { action } from "./declare/action.js"
export { type LinkOptions, link } from "./declare/link.js"
export { type LinksOptions, links } from "./declare/links.js"
export { state } from "./declare/state.js"
export type { ExecuteContext } from "./execute-context.js"
export { type Failed, type FailOptions, fail } from "./fail.js"
export { type ForeignOptions, toAgenticService } from "./foreign/to-agentic-service.js"
export type { Condition, When } from "./maps/when.js"
export type { AgenticService, Outcome } from "./service.js"
export { ServiceError, type ServiceErrorCode, type ServiceErrorOptions } from "./service-error.js"
export type { Observe, Source, Store } from "./sources/source.js"

// ── For other libraries: what a service looks like from outside, and what declarations are made of. ──

export type { JsonSchema } from "@x/tool-schemas"
export type { Accepted, Checked, Issue, Refused } from "./checked.js"
export { checkJson } from "./checks/check-json.js"
export type { AudioBlock, Block, ImageBlock, ResourceBlock, ResourceLinkBlock, TextBlock } from "./content.js"
export type {
  ActionDeclaration,
  ActionOptions,
  AnyActionOptions,
  CheckedActionOptions,
  FullActionOptions,
  InputActionOptions,
  OutputActionOptions,
  PlainActionOptions,
} from "./declare/action.js"
export type { LazyLinkOptions, LinkDeclaration } from "./declare/link.js"
export type { NoPromise, Result, UntypedResult } from "./declare/result.js"
export type { JsonStateOptions, MediaStateOptions, StateDeclaration, StateOptions } from "./declare/state.js"
export type { Answers, Principal, Progress, Question, Questions } from "./execute-context.js"
export type {
  AnySchema,
  AuthoredJsonSchema,
  DeepReadonly,
  InferOptions,
  InputOf,
  NoStandardSchema,
  StandardSchema,
  ValueOf,
} from "./infer.js"
export type {
  Action,
  ActionDefinition,
  Actions,
  Declared,
  DeclaredMember,
  Failure,
  Hints,
  Link,
  LinkDefinition,
  Links,
  MemberFailure,
  State,
  StateDefinition,
  States,
  Success,
} from "./service.js"
export type { StoreReader, StoreSubscription } from "./sources/source.js"
export { toObservable } from "./sources/to-observable.js"
