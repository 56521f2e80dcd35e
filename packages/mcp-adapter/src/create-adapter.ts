import { type AgenticService, type Principal, type State, toAgenticService } from "@x/agentic-service"
import { idleContext } from "@x/agentic-service/adapter"
import { publish } from "@x/tool-schemas"
import { withDefaults } from "@x/tool-schemas/json"
import type { Observable } from "rxjs"
import { AdapterError, checkOptions } from "./adapter-error.js"
import type { CallAnswer } from "./calls/active-call.js"
import { type AdapterEvent, createEvents, type Emit } from "./calls/adapter-event.js"
import type { Arguments, CallContext } from "./calls/call-context.js"
import { defaultCallLimits, defaultQuestionOptions, type QuestionOptions } from "./calls/call-limits.js"
import { type Calls, createCalls } from "./calls/create-calls.js"
import { toClosed } from "./calls/failures.js"
import type { Snapshot } from "./catalogue/entry.js"
import { defaultCatalogueLimits } from "./catalogue/listing.js"
import { createReservedNames } from "./catalogue/naming.js"
import type { Path } from "./names/path.js"
import { toResourceUri } from "./names/resource-uri.js"
import { createToolNamer } from "./names/tool-name.js"
import { createHealth, type Health } from "./operations/health.js"
import { adapterOptionRules, type McpAdapterOptions } from "./options.js"
import { toSureFilter, toSureScopes } from "./runtime/callback.js"
import type { Diagnostic } from "./runtime/diagnostic.js"
import { createLedger, type Host, holdProcess, hostClock, type Ledger } from "./runtime/host.js"
import {
  createViews,
  defaultPrincipalLimits,
  type ViewLease,
  type Views,
  type ViewsOptions,
} from "./views/create-views.js"
import { createLinkedViews, type LinkedViews } from "./views/linked-views.js"
import { defaultNoticeOptions } from "./views/notices.js"
import type { View } from "./views/view.js"

/** An agentic service, ready to be served. Watches the service until it is closed, whatever the clients do. */
export interface McpAdapter {
  /** The server's name, as clients see it and as resource URIs have it. */
  readonly name: string
  /** The server's version, as clients see it. */
  readonly version: string
  /** What a client may tell its model about the server; absent when there is nothing to tell. */
  readonly instructions?: string
  /**
   * What happens: changes of what is on offer, calls, and what an operator should know. Hot; completes on close, once every
   * call is answered. A change is told at the end of its task, so after the start of a call that brings it about.
   */
  readonly events: Observable<AdapterEvent>
  /**
   * How the adapter and its servers are: now, and again at the end of each task that changes it. Completes with `events`;
   * who subscribes afterwards gets one value.
   */
  readonly health: Observable<Health>
  /** Counts everything the adapter and its servers hold open. */
  readonly ledger: Ledger
  /** What is on offer to a caller now; waits for a first time as `limits.readyWaitMs` allows. */
  list(context?: Pick<CallContext, "principal">): Promise<Snapshot>
  /** The newest value of the state behind a URI; `undefined` when it is hidden, denied or unknown. */
  read(uri: string, context?: Pick<CallContext, "principal">): Promise<Pick<State, "value"> | undefined>
  /** Calls an action by tool name through the path that every client's call takes. Never rejects. */
  call(name: string, args?: Arguments, context?: Partial<CallContext>): Promise<CallAnswer>
  /**
   * Lets go of the services, which it does not close, tells running calls to stop, and ends what is served; close servers
   * first where calls are to finish. Afterwards `list` and `read` fail with {@link AdapterError} `closed`, and calls with a
   * failure of that code. Idempotent.
   */
  close(): void
  /** What bindings stand on. */
  readonly core: AdapterCore
}

/** What can be adapted: a service, own or foreign, or a function that gives each principal one. */
export type AdapterSource = AgenticService | object | ((principal: Principal | undefined) => AgenticService | object)

/**
 * Makes a service ready to be served over MCP, and starts to watch it.
 *
 * @throws AdapterError `not_a_service` when `source` is not recognised as a service, `invalid_option` for an option that there
 * is not, or that cannot be.
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
  const events = createEvents(() => views.noteValues())
  const emit: Emit = (event) => {
    // Most of what is told is no news of health.
    if (isOfHealth(event)) health.note(event)
    events.emit(event)
  }
  const host: Host = { clock, ledger, report: (diagnostic, view) => emit(toDiagnosticEvent(diagnostic, view)) }
  const viewsOptions = toViewsOptions(source, options, { name, host, emit })
  const views = createViews(viewsOptions)
  const linked = createLinkedViews(views, viewsOptions)
  const calls = createCalls({
    emit,
    host,
    limits: withDefaults(defaultCallLimits, options.calls),
    questions: withDefaults(defaultQuestionOptions(), options.questions),
    newId: () => crypto.randomUUID(),
    ...(options.scopes && { scopes: toSureScopes("scopes", options.scopes) }),
  })
  let closed = false
  const core = createCore(views, linked, { calls, host, reserve: viewsOptions.reserved.add, closed: () => closed })

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
      // What fails to let go is told, too.
      complete()
    },
  }
}

/** Puts together what views are made from. */
function toViewsOptions(
  source: AdapterSource,
  options: McpAdapterOptions,
  { name, host, emit }: { readonly name: string; readonly host: Host; readonly emit: Emit },
): ViewsOptions {
  const { names, ...schemas } = options.publish ?? {}
  return {
    source:
      typeof source === "function" ? (principal) => toAgenticService(source(principal)) : toAgenticService(source),
    ...(options.allow && { allow: toSureFilter("allow", options.allow, host.report) }),
    toolName: createToolNamer(names),
    reserved: createReservedNames(),
    publishInput: (schema, asIs) => publish(schema, { ...schemas, asIs }),
    stateUri: (path, key) => toResourceUri(name, path, key),
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

/** @throws AdapterError where a secret is shared and nobody has said who takes the answers. */
function checkSecret({ secret, answeredBy }: Partial<QuestionOptions> = {}): void {
  if (secret === undefined || answeredBy !== undefined) return
  throw new AdapterError(
    "invalid_option",
    'found "questions.secret" without "questions.answeredBy": expected "asker", so that an answer runs at most once, or "any", so that every process takes answers and one may run once in each',
  )
}

function isOfHealth(event: AdapterEvent): boolean {
  if (event.type === "call-settled") return !event.outcome.ok
  return event.type !== "call-started" && event.type !== "changed"
}

/** Using an adapter without a protocol: the same views and the same call path as any client has. */
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
      return within(context.principal, (view) =>
        calls.call(view, { name, args, context: { ...directContext(), ...context } }),
      )
    },
  }
}

function directContext(): CallContext {
  return {
    client: "direct",
    leg: { transport: "in-memory", era: "modern", notices: false },
    signal: idleContext.signal,
    clientCapabilities: {},
  }
}

/** What bindings stand on; for those who write one. */
export interface AdapterCore {
  /** Whether every principal sees the same. */
  readonly shared: boolean
  /** Takes a lease on a principal's view; throws {@link AdapterError} `closed` after the adapter is closed. */
  open(principal: Principal | undefined): ViewLease
  /**
   * Takes a lease on a view of one service alone, with plain names, by any path of links that leads to it; `undefined`
   * where nothing is that the principal may know of. When the path leads nowhere, or elsewhere, the view's notices
   * complete, after the calls that run in it are answered.
   */
  linked(path: Path, principal: Principal | undefined): ViewLease | undefined
  /**
   * Reserves the names of the adapter's own tools that an endpoint has, for good. An action that is listed under one of them is
   * listed under another name from then on.
   */
  reserve(names: Iterable<string>): void
  /** The one path that every call takes. */
  readonly calls: Pick<Calls, "call" | "callOwn" | "acquaintance" | "caughtUp" | "around" | "confirmsByToken" | "lacks">
  /** Time, what is held, and who is told. */
  readonly host: Host
}

/** Puts together what borders stand on. */
function createCore(
  views: Views,
  linked: LinkedViews,
  { closed, ...parts }: Pick<AdapterCore, "calls" | "host" | "reserve"> & { closed(): boolean },
): AdapterCore {
  return {
    shared: views.shared,
    open(principal) {
      if (closed()) throw new AdapterError("closed", "the adapter is closed: close it last, after all that uses it")
      return views.open(principal)
    },
    linked: linked.open,
    ...parts,
  }
}
