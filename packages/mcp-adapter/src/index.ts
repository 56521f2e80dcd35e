// For users: what it takes to make a service ready to be served.

export type { ObjectSchema, ProfileName, SchemaChange } from "@x/tool-schemas"
export { AdapterError, type AdapterErrorCode } from "./adapter-error.js"
export type { AskedCall, CallAnswer, IncapableCall, SettledCall, UnknownCall } from "./calls/active-call.js"
export type {
  AdapterEvent,
  CallAskedEvent,
  CallLateEvent,
  CallSettledEvent,
  CallStartedEvent,
  CallStuckEvent,
  CallSubject,
  ChangedEvent,
  DiagnosticEvent,
} from "./calls/adapter-event.js"
export type { CallContext, ClientInfo, Leg, LogLevel, Peer, TraceContext } from "./calls/call-context.js"
export type { CallLimits, QuestionOptions } from "./calls/call-limits.js"
export type { Changes, Diff } from "./catalogue/diff.js"
export type {
  Entry,
  LinkEntry,
  ResourceDefinition,
  Snapshot,
  StateEntry,
  ToolAnnotations,
  ToolDefinition,
  ToolEntry,
} from "./catalogue/entry.js"
export type { CatalogueLimits } from "./catalogue/listing.js"
export { type AdapterSource, createMcpAdapter, type McpAdapter } from "./create-adapter.js"
export type { EndpointOptions, ResultOptions, ToolOptions } from "./endpoint-options.js"
export type { ExposureFacts, ExposureFor, ExposureName } from "./exposures/exposure.js"
export { type KnownClient, knownClients, recommendExposure } from "./exposures/known-clients.js"
export type { StateMode } from "./exposures/state-mode.js"
export type { WaitForOptions } from "./exposures/wait-for.js"
export type { CatchUpOptions, SettleOptions } from "./handlers/catch-up.js"
export type {
  CapabilitySettings,
  Extension,
  ExtensionCapabilities,
  MethodExtension,
  ServerNotice,
  SettingsValue,
} from "./handlers/extension.js"
export type { Handler, Handlers, Params, Result } from "./handlers/handler.js"
export { ProtocolError } from "./handlers/handler.js"
export type { Path } from "./names/path.js"
export type { ToolNameOptions } from "./names/tool-name.js"
export type { DroppedCounts, Health, HealthError } from "./operations/health.js"
export { type LogCallsOptions, type Logger, logCalls } from "./operations/log-calls.js"
export type { Observed, Watcher } from "./operations/observe.js"
export type { McpAdapterOptions, PublishOptions } from "./options.js"
export type { Diagnostic, DiagnosticCode } from "./runtime/diagnostic.js"
export type { Holding, Ledger, LedgerCounts } from "./runtime/host.js"
export type { PrincipalLimits } from "./views/create-views.js"
export type { NoticeOptions } from "./views/notices.js"

// ── For other libraries: what a binding stands on. ────────────────────────────────────────────────

export { type JsonLimits, type JsonValue, toJson } from "@x/tool-schemas/json"
export type { Arguments } from "./calls/call-context.js"
export type { Around, Calls, NamedCall } from "./calls/create-calls.js"
export type { AdapterCore } from "./create-adapter.js"
export { createEndpoint } from "./create-endpoint.js"
export type { Caller, Connection, Endpoint } from "./endpoint.js"
export type { Capabilities } from "./handlers/capabilities.js"
export type { Subscriptions } from "./handlers/resources.js"
export { formatPath, parsePath } from "./names/path.js"
export type { Report } from "./runtime/diagnostic.js"
export type { Cancel, Clock } from "./runtime/host.js"
export type { ViewLease } from "./views/create-views.js"
export type { Notice, Reached, Resolution, View } from "./views/view.js"
