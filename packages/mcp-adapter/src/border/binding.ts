// Entry point for other libraries: building blocks of a border and types behind the root entry's types. Use it to add a
// transport, to watch an adapter closely, or to write your own handlers.

export type { LogLevel } from "@x/agentic-service"
export { createDeferred, type Deferred } from "@x/base"
export type { ObjectSchema, ProfileName, SchemaChange } from "@x/tool-schemas"
export type { AdapterCore, ProfiledLease } from "../adapter-core.js"
export { checkOptions } from "../adapter-error.js"
export type { Acquaintance, AcquaintedClient, ListedPage } from "../calls/acquaintance.js"
export type {
  AskedCall,
  HandedCall,
  HandOver,
  IncapableCall,
  SettledCall,
  UnknownCall,
} from "../calls/active-call.js"
export type {
  CallAskedEvent,
  CallCaughtUpEvent,
  CallHandedEvent,
  CallLateEvent,
  CallSettledEvent,
  CallStartedEvent,
  CallStuckEvent,
  CallSubject,
  ChangedEvent,
  DiagnosticEvent,
} from "../calls/adapter-event.js"
export type { Arguments, ClientInfo, Leg, Peer, TraceContext } from "../calls/call-context.js"
export type { Around, Calls, NamedCall, OwnAnswer } from "../calls/create-calls.js"
export type { Tasks } from "../calls/tasks/create-tasks.js"
export type { Task, TaskCaller, TaskEnd, TaskError, TaskStatus } from "../calls/tasks/task.js"
export type { NewsOfTask, NewsReader, TaskNews } from "../calls/tasks/task-news.js"
export type { Changes } from "../catalogue/diff.js"
export type { ResourceDefinition, ToolAnnotations, ToolDefinition } from "../catalogue/entry.js"
export type { Way } from "../catalogue/way.js"
export { createEndpoint } from "../create-endpoint.js"
export type { Caller, Connection, Endpoint, EndpointTasks } from "../endpoint.js"
export { endpointOptionRules } from "../endpoint-options.js"
export type { ExposureFacts, ListedItemTool } from "../exposures/exposure.js"
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
export type { ProfileCaller, ViewProfile } from "../profiles.js"
export type { Report } from "../runtime/diagnostic.js"
export { type Cancel, type Holding, type Host, holdProcess, type LedgerCounts, startTimer } from "../runtime/host.js"
export type { Hearing, ListeningClient } from "../runtime/listening-client.js"
export { createSeal, type Seal } from "../runtime/seal.js"
export type { ViewLease } from "../views/create-views.js"
export { principalKey } from "../views/principal-key.js"
export type { ServiceProfile } from "../views/profile.js"
export type {
  AimedView,
  DiffReader,
  Notice,
  Peek,
  Reached,
  Resolution,
  TargetChoice,
  View,
  ViewTargets,
} from "../views/view.js"
export { createGuard, type Guard, type GuardOptions, type GuardRefusal } from "./http/guard.js"
export { type Pipe, type PipeEnd, type PipeOptions, type PipeServer, servePipe } from "./pipe/serve-pipe.js"
