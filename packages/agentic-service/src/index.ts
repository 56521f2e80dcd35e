// For authors: what it takes to write a service.

export { createAgenticService, type ServiceDefinition } from "./create-agentic-service.js"
export { action, type LinkOptions, type LinksOptions, link, links, state } from "./declare.js"
export type { ExecuteContext } from "./execute-context.js"
export { type ForeignOptions, toAgenticService } from "./foreign/to-agentic-service.js"
export { type Content, content, type Failed, type FailOptions, fail, type Outcome } from "./outcome.js"
export type { AgenticService } from "./service.js"
export { ServiceError, type ServiceErrorCode, type ServiceErrorOptions } from "./service-error.js"
export type { Condition, Observe, Source, Store, When } from "./sources/source.js"

// ── For other libraries: what a service looks like from outside, and what declarations are made of. ──

export type { JsonSchema } from "@x/tool-schemas"
export { checkJson } from "./checks/check-json.js"
export type {
  ActionDeclaration,
  ActionOptions,
  AnyActionOptions,
  CheckedActionOptions,
  FullActionOptions,
  InputActionOptions,
  JsonStateOptions,
  LazyLinkOptions,
  LinkDeclaration,
  MediaStateOptions,
  NoPromise,
  OutputActionOptions,
  PlainActionOptions,
  Result,
  StateDeclaration,
  StateOptions,
  UntypedResult,
} from "./declare.js"
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
  AudioBlock,
  Block,
  Failure,
  ImageBlock,
  ResourceBlock,
  ResourceLinkBlock,
  Success,
  TextBlock,
} from "./outcome.js"
export type {
  Accepted,
  Action,
  ActionDefinition,
  Actions,
  Checked,
  Declared,
  DeclaredMember,
  Hints,
  Issue,
  Link,
  LinkDefinition,
  Links,
  MemberFailure,
  Refused,
  State,
  StateDefinition,
  States,
} from "./service.js"
export type { StoreReader, StoreSubscription } from "./sources/source.js"
export { toObservable } from "./sources/to-observable.js"
