// For other libraries: what a border stands on, and what the nouns of the root are made of. For those who add a transport,
// watch an adapter closely, or write handlers of their own.

export type { LogLevel } from "@x/agentic-service"
export type { ObjectSchema, ProfileName, SchemaChange } from "@x/tool-schemas"
export { checkOptions } from "../adapter-error.js"
export type { Acquaintance, AcquaintedClient } from "../calls/acquaintance.js"
export type { AskedCall, IncapableCall, SettledCall, UnknownCall } from "../calls/active-call.js"
export type {
  CallAskedEvent,
  CallCaughtUpEvent,
  CallLateEvent,
  CallSettledEvent,
  CallStartedEvent,
  CallStuckEvent,
  CallSubject,
  ChangedEvent,
  DiagnosticEvent,
} from "../calls/adapter-event.js"
export type { Arguments, ClientInfo, Leg, Peer, TraceContext } from "../calls/call-context.js"
export type { Around, Calls, NamedCall } from "../calls/create-calls.js"
export type { Changes } from "../catalogue/diff.js"
export type { ResourceDefinition, ToolAnnotations, ToolDefinition } from "../catalogue/entry.js"
export type { Way } from "../catalogue/way.js"
export type { AdapterCore } from "../create-adapter.js"
export { createEndpoint } from "../create-endpoint.js"
export type { Caller, Connection, Endpoint } from "../endpoint.js"
export { endpointOptionRules } from "../endpoint-options.js"
export type { ExposureFacts } from "../exposures/exposure.js"
export type { CapabilitySettings, ExtensionCapabilities, ExtensionSite, SettingsValue } from "../handlers/extension.js"
export type { Handlers } from "../handlers/handler.js"
export type { Capabilities } from "../handlers/methods.js"
export type { Subscriptions } from "../handlers/resources.js"
export { formatPath, type Path } from "../names/path.js"
export { type PlacedState, parseResourceUri, toPlacedUri } from "../names/resource-uri.js"
export { createToolNamer, type ToolName, type ToolNamer } from "../names/tool-name.js"
export type { DroppedCounts, HealthError } from "../operations/health.js"
export { type LabelledClient, type LabelledPrincipal, toClientLabel } from "../operations/log-calls.js"
export type { Observed } from "../operations/observe.js"
export type { Report } from "../runtime/diagnostic.js"
export {
  type Cancel,
  createDeferred,
  type Deferred,
  type Holding,
  type Host,
  type LedgerCounts,
  startTimer,
} from "../runtime/host.js"
export type { Hearing, ListeningClient } from "../runtime/listening-client.js"
export { createSeal, type Seal } from "../runtime/seal.js"
export type { ViewLease } from "../views/create-views.js"
export { principalKey } from "../views/principal-key.js"
export type { AimedView, Notice, Reached, Resolution, TargetChoice, View, ViewTargets } from "../views/view.js"
export { createGuard, type Guard, type GuardOptions } from "./http/guard.js"
export { type Pipe, type PipeEnd, type PipeOptions, type PipeServer, servePipe } from "./pipe/serve-pipe.js"
