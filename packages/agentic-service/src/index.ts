// The interface for authors of services.

export type { ErrorClass, OwnErrors } from "./calls/own-errors.js"
export { createAgenticService, type ServiceDefinition } from "./create-agentic-service.js"
export { action, type LinkOptions, type LinksOptions, link, links, state } from "./declare.js"
export type {
  Answers,
  ExecuteContext,
  LogLevel,
  Principal,
  Progress,
  Question,
  Questions,
} from "./execute-context.js"
export { type ForeignOptions, toAgenticService } from "./foreign/to-agentic-service.js"
export { content, fail } from "./outcome.js"
export { ServiceError, type ServiceErrorCode, type ServiceErrorOptions } from "./service-error.js"
export type { Condition, Observe, Source, Store, When } from "./sources/source.js"
export { type ReadOptions, type StatedSources, source } from "./sources/stated-source.js"
export { toObservable } from "./sources/to-observable.js"

// ── Results, and a service's outer view. Libraries find more in `./adapter`. ──

export type { JsonSchema } from "@x/tool-schemas"
export type { ActionDeclaration, ActionOptions, LinkDeclaration, StateDeclaration } from "./declare.js"
export type { AuthoredJsonSchema, InputOf } from "./infer.js"
export type {
  Ask,
  AudioBlock,
  Block,
  BlockNotes,
  ClientRequest,
  ClientResponse,
  Content,
  Failed,
  FailOptions,
  Failure,
  ImageBlock,
  Meta,
  Outcome,
  Refusal,
  Reply,
  ResourceBlock,
  ResourceLinkBlock,
  Success,
  TextBlock,
  Verbatim,
} from "./outcome.js"
export type {
  Action,
  AgenticService,
  Hints,
  Link,
  LongWork,
  OwnService,
  RemoteValue,
  State,
} from "./service.js"
