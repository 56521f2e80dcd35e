import { type AgenticService, type Principal, type State, toAgenticService } from "@x/agentic-service"
import { type PublishOptions, publish } from "@x/tool-schemas"
import type { Observable } from "rxjs"
import { AdapterError } from "./adapter-error.js"
import type { CallAnswer } from "./calls/active-call.js"
import { type AdapterEvent, createEvents, type Emit } from "./calls/adapter-event.js"
import type { Arguments, CallContext } from "./calls/call-context.js"
import {
  type CallLimits,
  defaultCallLimits,
  defaultQuestionOptions,
  type QuestionOptions,
} from "./calls/call-limits.js"
import { type Around, type Call, type CallOwn, type CallPath, createCaller, holdWhile } from "./calls/create-caller.js"
import { toClosed } from "./calls/open-calls.js"
import type { Entry, Snapshot } from "./catalogue/entry.js"
import { type CatalogueLimits, defaultCatalogueLimits } from "./catalogue/listing.js"
import type { Path } from "./names/path.js"
import { toResourceUri } from "./names/resource-uri.js"
import { createToolNamer, type ToolNameOptions } from "./names/tool-name.js"
import { createHealth, type Health } from "./operations/health.js"
import { type Clock, hostClock } from "./runtime/clock.js"
import type { Host } from "./runtime/host.js"
import { createLedger, type Ledger } from "./runtime/ledger.js"
import {
  createViews,
  type PrincipalLimits,
  type ViewLease,
  type Views,
  type ViewsOptions,
} from "./views/create-views.js"
import { createLinkedViews, type LinkedViews } from "./views/linked-views.js"
import type { View } from "./views/view.js"

/** An agentic service, ready to be served. Watches the service until it is closed, whatever the clients do. */
export interface McpAdapter {
  /** The server's name, as clients see it and as resource URIs have it. */
  readonly name: string
  /** The server's version, as clients see it. */
  readonly version: string
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
  /** What is on offer to a caller now; waits for a first time as `limits.readyWait` allows. */
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

/** How an adapter sees its service. How it is served is an option of each `serveX`. */
export interface McpAdapterOptions {
  /** The server's name. Default: the service's name; for a function of the principal `agentic-service`. */
  readonly name?: string
  /** The server's version. Default `0.0.0`. */
  readonly version?: string
  /** How much is taken in. */
  readonly limits?: Partial<CatalogueLimits>
  /** How long calls may take, and how many may run. */
  readonly calls?: Partial<CallLimits>
  /** How questions to the person are put before an action runs. */
  readonly questions?: Partial<QuestionOptions>
  /** How tool names are made. */
  readonly names?: ToolNameOptions
  /** How input schemas are published. */
  readonly schemas?: PublishOptions
  /** The least time between two notices of a kind, in milliseconds. Default 50. */
  readonly noticeWindow?: number
  /**
   * How long an action must have been gone before clients are told, in milliseconds: one that is back by then, as it was, was
   * never away for them. Lists show it as it is at any time, and when a client was handed one without it, there is a notice
   * of its return. What comes, or is defined anew, is told as ever. Takes effect where longer than `noticeWindow`, or where
   * there was no notice shortly before. Default 0.
   */
  readonly flickerWindow?: number
  /**
   * Hides entries: asked for every list, read, call and notice, with who wants to know. Must give one answer for a
   * principal's id and scopes, whatever the time. Default: everything is allowed to everybody.
   */
  readonly allow?: (principal: Principal | undefined, entry: Entry) => boolean
  /** How many principals' views are kept, and for how long. */
  readonly principals?: Partial<PrincipalLimits>
  /** Time. Default: the host's. */
  readonly clock?: Clock
}

/** What can be adapted: a service, own or foreign, or a function that gives each principal one. */
export type AdapterSource = AgenticService | object | ((principal: Principal | undefined) => AgenticService | object)

/**
 * Makes a service ready to be served over MCP, and starts to watch it.
 *
 * @throws ServiceError when `source` is not recognised as a service.
 */
export function createMcpAdapter(source: AdapterSource, options: McpAdapterOptions = {}): McpAdapter {
  const { clock = hostClock, version = "0.0.0" } = options
  const service = typeof source === "function" ? undefined : toAgenticService(source)
  const name = options.name ?? service?.name ?? "agentic-service"
  const ledger = createLedger(() => health.changed())
  const health = createHealth({ host: { ledger, clock }, waiting: () => caller.waiting() })
  const events = createEvents()
  const emit: Emit = (event) => {
    health.note(event)
    events.emit(event)
  }
  const host: Host = { clock, ledger, report: (diagnostic) => emit({ type: "diagnostic", diagnostic }) }
  const viewsOptions: ViewsOptions = {
    source:
      typeof source === "function" ? (principal) => toAgenticService(source(principal)) : toAgenticService(source),
    ...(options.allow && { allow: options.allow }),
    toolName: createToolNamer(options.names),
    publishInput: (schema) => publish(schema, options.schemas),
    stateUri: (path, key) => toResourceUri(name, path, key),
    limits: { ...defaultCatalogueLimits, ...options.limits },
    principals: { max: 1_000, idle: 300_000, ...options.principals },
    noticeWindow: options.noticeWindow ?? 50,
    flickerWindow: options.flickerWindow,
    host,
    onChange: (change) => emit({ type: "changed", ...change }),
  }
  const views = createViews(viewsOptions)
  const linked = createLinkedViews(views, viewsOptions)
  const caller = createCaller({
    emit,
    host,
    limits: { ...defaultCallLimits, ...options.calls },
    questions: { ...defaultQuestionOptions(), ...options.questions },
    newId: () => crypto.randomUUID(),
  })
  let closed = false
  const core = createCore({ views, linked, caller, host, closed: () => closed })

  return {
    name,
    version,
    events: events.observable,
    health: health.observable,
    ledger,
    core,
    ...createDirectAccess(core, () => closed),
    close() {
      closed = true
      caller.close(() => {
        events.complete()
        health.complete()
      })
      linked.close()
      views.close()
    },
  }
}

/** Using an adapter without a protocol: the same views and the same call path as any client has. */
function createDirectAccess(
  { open, caller }: AdapterCore,
  closed: () => boolean,
): Pick<McpAdapter, "list" | "read" | "call"> {
  const within = async <Result>(
    principal: Principal | undefined,
    use: (view: View) => Result,
  ): Promise<Awaited<Result>> => {
    const { view, release } = open(principal)
    try {
      await view.ready
      return await use(view)
    } finally {
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
      return within(context.principal, (view) => caller(view)(name, args, { ...directContext(), ...context }))
    },
  }
}

function directContext(): CallContext {
  return {
    client: "direct",
    leg: { transport: "in-memory", era: "modern", notices: false },
    signal: new AbortController().signal,
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
  /** The one call path. */
  readonly caller: (view: View) => Call
  /** The same path for the tools of the adapter's own, such as `get_state`. */
  readonly ownCaller: (view: View) => CallOwn
  /**
   * Puts the closing of a view of {@link AdapterCore.linked} off, so that a call whose answer is still being put together
   * can be answered; both callers do that for as long as they run.
   *
   * @returns Takes that back; idempotent.
   */
  readonly hold: (view: View) => () => void
  /**
   * Puts something around every call that starts from now on, such as the context of a trace.
   *
   * @returns Takes it away again; idempotent.
   */
  readonly around: (around: Around) => () => void
  /** Whether calls can be confirmed with a token; see `questions.incapable`. */
  readonly confirmsByToken: boolean
  /** Time, what is held, and who is told. */
  readonly host: Host
}

/** What a core is made of. */
interface CoreParts extends Pick<AdapterCore, "host"> {
  /** The views of all. */
  readonly views: Views
  /** The views of single services. */
  readonly linked: LinkedViews
  /** The one call path. */
  readonly caller: CallPath
  /** Whether the adapter is closed. */
  readonly closed: () => boolean
}

/** Puts it together. */
function createCore({ views, linked, caller, closed, ...parts }: CoreParts): AdapterCore {
  return {
    shared: views.shared,
    open(principal) {
      if (closed()) throw new AdapterError("closed", "the adapter is closed: close it last, after all that uses it")
      return views.open(principal)
    },
    linked: linked.open,
    caller: (view) => holdWhile(caller.within(view), () => linked.hold(view)),
    hold: linked.hold,
    ownCaller: (view) => holdWhile(caller.own(view), () => linked.hold(view)),
    around: caller.around,
    confirmsByToken: caller.confirmsByToken,
    ...parts,
  }
}
