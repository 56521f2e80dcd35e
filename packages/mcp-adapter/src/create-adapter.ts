import { type AgenticService, type Principal, type State, toAgenticService } from "@x/agentic-service"
import { idleContext } from "@x/agentic-service/adapter"
import { withDefaults } from "@x/base"
import { publish } from "@x/tool-schemas"
import type { Observable } from "rxjs"
import { type AdapterCore, createAdapterCore } from "./adapter-core.js"
import { AdapterError, checkOptions } from "./adapter-error.js"
import type { CallAnswer } from "./calls/active-call.js"
import { type AdapterEvent, createEvents, type Emit } from "./calls/adapter-event.js"
import type { Arguments, CallContext } from "./calls/call-context.js"
import { defaultCallLimits, defaultQuestionOptions, type QuestionOptions } from "./calls/call-limits.js"
import { AWAITED } from "./calls/client-requests.js"
import { createCalls } from "./calls/create-calls.js"
import { toClosed } from "./calls/failures.js"
import { defaultTaskOptions } from "./calls/tasks/task-options.js"
import type { Snapshot } from "./catalogue/entry.js"
import { defaultCatalogueLimits } from "./catalogue/listing.js"
import { createReservedNames } from "./catalogue/naming.js"
import { parseResourceUri, toResourceUri } from "./names/resource-uri.js"
import { createToolNamer } from "./names/tool-name.js"
import { createHealth, type Health } from "./operations/health.js"
import { adapterOptionRules, type McpAdapterOptions } from "./options.js"
import { toSureProfiles } from "./profiles.js"
import { toSureFilter, toSureScopes, toSureSource } from "./runtime/callback.js"
import type { Diagnostic } from "./runtime/diagnostic.js"
import { createLedger, type Host, holdProcess, hostClock, type Ledger } from "./runtime/host.js"
import { createViews, defaultPrincipalLimits, type ViewsOptions } from "./views/create-views.js"
import { createLinkedViews } from "./views/linked-views.js"
import { defaultNoticeOptions } from "./views/notices.js"
import type { View } from "./views/view.js"

/** An agentic service, ready to serve. It watches the service until `close`, even with no client connected. */
export interface McpAdapter {
  /** The server's name, as clients see it and as it appears in resource URIs. */
  readonly name: string
  /** The server's version, as clients see it. */
  readonly version: string
  /** Instructions that a client may give its model about the server. Absent if there are none. */
  readonly instructions?: string
  /**
   * Events of the adapter: changed tools and states, calls, and diagnostics for the operator. Hot. Completes after `close`,
   * once every call is answered. Each task's changes are emitted when it ends, so after the start event of a call that caused
   * them.
   */
  readonly events: Observable<AdapterEvent>
  /**
   * Health of the adapter and its servers: the current value, then a new one after each task that changes it. Completes with
   * `events`; a later subscriber gets one value.
   */
  readonly health: Observable<Health>
  /** Counts everything the adapter and its servers hold open. */
  readonly ledger: Ledger
  /**
   * Returns the tools and states that a caller can use now. The first call waits up to `limits.readyWaitMs` for the service.
   */
  list(context?: Pick<CallContext, "principal">): Promise<Snapshot>
  /** Reads the newest value of the state at a URI. Returns `undefined` if the state is hidden, denied or unknown. */
  read(uri: string, context?: Pick<CallContext, "principal">): Promise<Pick<State, "value"> | undefined>
  /** Calls an action by its tool name, exactly as a client's call does. Never rejects. */
  call(name: string, args?: Arguments, context?: Partial<CallContext>): Promise<CallAnswer>
  /**
   * Releases the services without closing them, stops running calls and ends every connection. To let calls finish, close the
   * servers first. Afterwards `list` and `read` reject with {@link AdapterError} `closed`, and calls fail with that code.
   * Idempotent.
   */
  close(): void
  /** The interface for bindings. */
  readonly core: AdapterCore
}

/** A service to adapt, our own or foreign, or a function that returns a service for each principal. */
export type AdapterSource = AgenticService | object | ((principal: Principal | undefined) => AgenticService | object)

/**
 * Makes a service ready to be served over MCP, and starts to watch it.
 *
 * @throws AdapterError `not_a_service` if `source` is not recognised as a service, `invalid_option` for an unknown option or an
 *   impossible value.
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * console.log((await adapter.list()).tools.map(({ name }) => name)) // [ 'greet' ]
 * adapter.close()
 * ```
 */
export function createMcpAdapter(source: AdapterSource, options: McpAdapterOptions = {}): McpAdapter {
  try {
    return assemble(source, options)
  } catch (thrown) {
    throw AdapterError.from(thrown)
  }
}

function assemble(source: AdapterSource, options: McpAdapterOptions): McpAdapter {
  checkOptions(options, adapterOptionRules)
  checkSecret(options.questions)
  const { clock = hostClock, version = "0.0.0", instructions } = options
  const service = typeof source === "function" ? undefined : toAgenticService(source)
  const name = options.name ?? service?.name ?? "agentic-service"
  const ledger = createLedger()
  const health = createHealth({ host: { ledger, clock }, waiting: () => calls.waiting() })
  const events = createEvents(() => views.noteValues(), health.note)
  const { emit } = events
  const host: Host = { clock, ledger, report: (diagnostic, view) => emit(toDiagnosticEvent(diagnostic, view)) }
  const viewsOptions = toViewsOptions(source, options, { name, host, emit })
  const views = createViews(viewsOptions)
  const linked = createLinkedViews(views, viewsOptions)
  const calls = createCalls({
    emit,
    host,
    limits: withDefaults(defaultCallLimits, options.calls),
    questions: withDefaults(defaultQuestionOptions(), options.questions),
    tasks: withDefaults(defaultTaskOptions, options.tasks),
    ...(options.scopes && { scopes: toSureScopes("scopes", options.scopes) }),
  })
  let closed = false
  const core = createAdapterCore(views, linked, {
    calls,
    host,
    reserve: viewsOptions.reserved.add,
    reserveForLong: viewsOptions.reserved.addForLong,
    isReserved: viewsOptions.reserved.has,
    closed: () => closed,
    ...(options.profiles && { profiles: toSureProfiles(options.profiles, name, host) }),
  })

  return {
    name,
    version,
    ...(instructions !== undefined && { instructions }),
    events: events.observable,
    health: health.observable,
    ledger,
    core,
    ...createDirectAccess(core, () => closed),
    close() {
      closed = true
      let open = 2
      const complete = (): void => {
        open -= 1
        if (open > 0) return
        events.complete()
        health.complete()
      }
      calls.close(complete)
      linked.close()
      views.close()
      // Events complete last, so that failures to release are reported.
      complete()
    },
  }
}

/** Derives the views' options from the adapter's. */
function toViewsOptions(
  source: AdapterSource,
  options: McpAdapterOptions,
  { name, host, emit }: { readonly name: string; readonly host: Host; readonly emit: Emit },
): ViewsOptions {
  const { names, ...schemas } = options.publish ?? {}
  const publishAs: ViewsOptions["publishAs"] = (profile) => {
    const asked = { ...schemas, ...(profile?.schemas && { profile: profile.schemas }) }
    return (schema, asIs) => publish(schema, { ...asked, asIs })
  }
  return {
    source:
      typeof source === "function"
        ? toSureSource("source", (principal: Principal | undefined) => source(principal), toAgenticService)
        : toAgenticService(source),
    ...(options.allow && { allow: toSureFilter("allow", options.allow, host.report) }),
    toolName: createToolNamer(names),
    reserved: createReservedNames(),
    publishAs,
    profiled: options.profiles !== undefined,
    stateUri: (path, key) => toResourceUri(name, path, key),
    parseStateUri: (uri) => parseResourceUri(name, uri),
    limits: withDefaults(defaultCatalogueLimits, options.limits),
    principals: withDefaults(defaultPrincipalLimits, options.principals),
    notices: withDefaults(defaultNoticeOptions, options.notices),
    host,
    onChange: (change) => emit(Object.assign(change, { type: "changed" as const })),
  }
}

function toDiagnosticEvent(diagnostic: Diagnostic, view: string | undefined): AdapterEvent {
  return { type: "diagnostic", diagnostic, ...(view !== undefined && { view }) }
}

/** @throws AdapterError if a secret is shared and `answeredBy` does not say which process takes answers. */
function checkSecret({ secret, answeredBy }: Partial<QuestionOptions> = {}): void {
  if (secret === undefined || answeredBy !== undefined) return
  throw new AdapterError(
    'found "questions.secret" without "questions.answeredBy": set it to "asker", so that an answer runs at most once, or to "any", so that every process takes answers and may run each one once',
    { code: "invalid_option" },
  )
}

/** Creates the methods for use without a protocol, on the same views and call path as any client's. */
function createDirectAccess(
  { open, calls }: AdapterCore,
  closed: () => boolean,
): Pick<McpAdapter, "list" | "read" | "call"> {
  const within = async <Result>(
    principal: Principal | undefined,
    use: (view: View) => Result,
  ): Promise<Awaited<Result>> => {
    const { view, release } = open(principal)
    const letGo = holdProcess()
    try {
      await view.ready()
      return await use(view)
    } finally {
      letGo()
      release()
    }
  }
  return {
    list: (context) => within(context?.principal, (view) => view.snapshot()),
    read: (uri, context) =>
      within(context?.principal, (view) => {
        const state = view.state(uri)?.current()
        return state && { value: state.value }
      }),
    async call(name, args = {}, context = {}) {
      if (closed()) return { kind: "settled", outcome: toClosed(name), revision: 0 }
      return within(context.principal, (view) => calls.call(view, { name, args, context: toDirect(context) }))
    },
  }
}

/** Completes the context of a caller without a protocol, who waits for the end: also for that of a server's task. */
function toDirect(context: Partial<CallContext>): CallContext {
  return {
    client: "direct",
    leg: { transport: "in-memory", era: "modern", notices: false },
    signal: idleContext.signal,
    ...context,
    clientCapabilities: { ...context.clientCapabilities, ...AWAITED },
  }
}
