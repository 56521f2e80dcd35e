// The interface for libraries: adapters, wires and bridges import more types and functions here. Authors of services need
// nothing here.

export { createFedService, type FedParts } from "./assemble-service.js"
export {
  type Abortable,
  abortableOf,
  createStopSource,
  guardListeners,
  type StopSource,
  withStop,
} from "./calls/abortable.js"
export { type ActionCall, type Callable, type Callee, executeAction, toOutcome } from "./calls/execute-action.js"
export {
  aborted,
  actionFailed,
  changed,
  confirmationUnavailable,
  invalidInput,
  invalidOutput,
  notAvailable,
  type Unavailable,
} from "./calls/failures.js"
export { type Asker, labelQuestion, labelQuestions } from "./calls/label-questions.js"
export { toNeutralBlock } from "./calls/run-execute.js"
export { type Check, checkJson, createCheck, loadTrustedCheck } from "./checks/create-check.js"
export type {
  CheckedActionOptions,
  CheckedStateOptions,
  DescribedAction,
  LazyLinkOptions,
  NeedsSchemaOrMediaType,
  NoStream,
  NoStreamAndTextOnlyWithOutput,
  Result,
  Returned,
  StateOptions,
  StateValue,
  WrapInAction,
  WrapInLink,
  WrapInState,
} from "./declare.js"
export { idleContext } from "./execute-context.js"
export type {
  AnySchema,
  DeepReadonly,
  InferOptions,
  Leaf,
  NamedOf,
  NameOf,
  NoStandardSchema,
  SaysWhatElse,
  SchemaInlineOrAsConst,
  StandardSchema,
  UnlessOpen,
  ValueOf,
} from "./infer.js"
export { type Feed, type LiveMembers, liveMembersOf } from "./maps/live-map.js"
export { findPrincipalFault, findScopesFault } from "./principal-fault.js"
export type {
  Accepted,
  ActionDefinition,
  Actions,
  Checked,
  Declared,
  DeclaredMember,
  Issue,
  LinkDefinition,
  Links,
  MemberFailure,
  Occupancy,
  Refused,
  StateDefinition,
  States,
  Target,
  Targets,
} from "./service.js"
export type { Disposable, Stop, StoreReader, StoreSubscription, Subscribable } from "./sources/source.js"
export { composeThing, durableThingOf, newThing, thingOf } from "./thing.js"
