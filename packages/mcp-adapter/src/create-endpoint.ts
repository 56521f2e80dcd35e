import type { Principal } from "@x/agentic-service"
import { isRecord } from "@x/base"
import { defer, from, type Observable, switchMap } from "rxjs"
import type { ProfiledLease } from "./adapter-core.js"
import type { ClientInfo } from "./calls/call-context.js"
import type { Tasks } from "./calls/tasks/create-tasks.js"
import type { McpAdapter } from "./create-adapter.js"
import { createFaces, type Faces, isOwnTool, toOwnName } from "./create-faces.js"
import type { Connection, Endpoint, EndpointTasks } from "./endpoint.js"
import type { EndpointOptions } from "./endpoint-options.js"
import type { Exposure } from "./exposures/exposure.js"
import type { LinkUrl } from "./exposures/list-links.js"
import { followProfile, type ProfiledConnection } from "./follow-profile.js"
import { resolveCatchUp } from "./handlers/catch-up.js"
import { composeExtensions } from "./handlers/compose-extensions.js"
import { createPatience } from "./handlers/create-patience.js"
import { type Extension, type ExtensionSite, mergeNotices, type ServerNotice } from "./handlers/extension.js"
import { toDetailedTask } from "./handlers/hand-over.js"
import type { Handler, Handlers } from "./handlers/handler.js"
import type { HandlerOptions } from "./handlers/handler-options.js"
import { USUAL_RESULT_CHARS } from "./handlers/list-tools.js"
import { checkExtension, createHandlers, toCapabilities } from "./handlers/methods.js"
import { createSubscriptions, type Subscriptions } from "./handlers/resources.js"
import { formatPath, type Path } from "./names/path.js"
import type { ViewProfile } from "./profiles.js"
import type { Diagnostic } from "./runtime/diagnostic.js"
import type { Host } from "./runtime/host.js"
import { joinInstructions } from "./views/instructions.js"
import type { View } from "./views/view.js"

/**
 * Creates an endpoint: the adapter as one kind of server shows it.
 *
 * @param base - The URL path of the endpoint, without a trailing slash, if the binding serves links as endpoints below it.
 *   Default: it does not.
 * @throws AdapterError `invalid_option` if an extension answers a method that belongs to the adapter.
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { type CallContext, createMcpAdapter } from "@x/mcp-adapter"
 * import { createEndpoint } from "@x/mcp-adapter/binding"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const endpoint = createEndpoint(adapter, { results: { catchUp: false } })
 * const connection = endpoint.open(undefined) // the principal
 * const leg = { transport: "my-transport", era: "modern", notices: true } as const
 * const context: CallContext = { client: "one", leg, signal: new AbortController().signal, clientCapabilities: {} }
 * console.log(await connection.handlers["tools/call"]?.({ name: "greet" }, context)) // { content: [ … ] }
 * connection.release()
 * adapter.close()
 * ```
 */
export function createEndpoint(adapter: McpAdapter, given: EndpointOptions = {}, base?: string): Endpoint {
  const { core, name, version } = adapter
  const extensions = [given.extension ?? []].flat()
  extensions.forEach(checkExtension)
  const options = { ...given, extension: composeExtensions(extensions, core.host.report) }
  const { states = "both", extension, links = "namespaced", tools = {} } = options
  if (links === "endpoints" && base === undefined) core.host.report(linksUnsupported)
  const linkUrl = links === "endpoints" && base !== undefined ? toLinkUrl(base) : undefined
  const { runAction = true, listLinks = true, waitFor, tasks = true } = tools
  // The adapter's own tools shorten their results themselves, and say how to read on.
  const sizeLimit = Math.min(OWN_RESULT_CHARS, options.results?.maxChars ?? OWN_RESULT_CHARS)
  const confirm = core.calls.confirmsByToken
  const faces = createFaces(
    options,
    {
      ...{ states, runAction, waitFor, tasks, confirm, links: listLinks, linkUrl, sizeLimit },
      isReserved: core.isReserved,
    },
    core,
  )
  core.reserve(faces.all.flatMap(({ ownNames }) => ownNames))
  core.reserveForLong(faces.all.flatMap(({ namesForLong }) => namesForLong))
  const profileOf = new WeakMap<View, ViewProfile>()
  const siteOf = (view: View): ExtensionSite => ({ serverName: name, profile: profileOf.get(view) })
  const faceOf = (view: View): Exposure => faces.of(profileOf.get(view))
  const noticesOf = (view: View, exposure = faceOf(view)): Observable<ServerNotice> =>
    mergeNotices(exposure.notices(view), extension.noticesAt?.(siteOf(view)) ?? extension.notices, core.host.report)
  const connect = createConnect(adapter, options, { faces, profileOf, noticesOf })
  const leaseAt = (path: Path, principal: Principal | undefined, client?: ClientInfo): ProfiledLease | undefined => {
    if (linkUrl !== undefined) return core.linked(path, principal, client)
    return path.length === 0 ? core.open(principal, client) : undefined
  }
  const openAt = (path: Path, principal: Principal | undefined, said?: ClientInfo): Connection | undefined => {
    const open = (client = said): ProfiledConnection | undefined => {
      const lease = leaseAt(path, principal, client)
      return lease && connect(lease)
    }
    const first = open()
    return first && core.profiles
      ? followProfile(first, { principal, client: said, open, profiles: core.profiles })
      : first
  }
  return {
    info: { name, version },
    capabilities: (leg) => toCapabilities(leg, { states, extension, tasks }),
    notices: noticesOf,
    open: (principal, client) => openAt([], principal, client) ?? connect(core.open(principal, client)),
    async reaches(path, principal) {
      if (path.length === 0 || linkUrl === undefined) return path.length === 0
      const { view, release } = core.open(principal)
      try {
        await view.ready()
        return view.serviceAt(path) !== undefined
      } finally {
        release()
      }
    },
    openAt,
    ...(tasks && { tasks: toEndpointTasks(core.calls.tasks) }),
    scoped: core.calls.lacks !== undefined,
    host: core.host,
  }
}

function toEndpointTasks(tasks: Tasks): EndpointTasks {
  return {
    async find(id, caller) {
      const found = await tasks.find(id, caller)
      return found && toDetailedTask(found)
    },
    watch: (id, tell) => tasks.watch(id, (task) => tell(toDetailedTask(task))),
  }
}

/** The most characters in a result of one of the adapter's own tools. */
const OWN_RESULT_CHARS = 40_000

const linksUnsupported: Diagnostic = {
  code: "links_unsupported",
  message:
    'the option "links" is "endpoints", which needs HTTP: linked services are served under namespaced names here',
}

function toLinkUrl(base: string): LinkUrl {
  return (path) => (path.length === 0 ? base || "/" : `${base}/links/${formatPath(path)}`)
}

/** Endpoint options whose extensions are combined into one. */
type ComposedOptions = Omit<EndpointOptions, "extension"> & { readonly extension: Extension }

/** Creates connections. Connections that show the same exposure of one view share their handlers. */
function createConnect(
  adapter: McpAdapter,
  options: ComposedOptions,
  { faces, profileOf, noticesOf }: ConnectSite,
): (lease: ProfiledLease) => ProfiledConnection {
  const show = createShow(adapter, options, profileOf)
  return ({ view, profile, release }) => {
    if (profile !== undefined) profileOf.set(view, profile)
    const face = faces.of(profile)
    const usual = show(view, face)
    // Requests of the modern era have no subscriptions of their own.
    let subscriptions: Subscriptions | undefined
    let released = false
    // What a profile says goes before what is known of clients.
    const chosen = profile?.exposure === undefined ? createChoice(view, faces) : undefined
    const handlers =
      chosen === undefined
        ? usual.handlers
        : choosing(usual.handlers, async (client) => show(view, await chosen(client)).handlers)
    const extended = options.extension.methods ?? {}
    return {
      view,
      profile,
      settled: view.settled,
      instructions: () => joinInstructions(adapter.instructions, view),
      handlers,
      ownHandler: (method) =>
        Object.hasOwn(handlers, method) && !Object.hasOwn(extended, method) ? handlers[method] : undefined,
      builtIns: () => face.own(view),
      itemTools: () => face.items?.listed(view) ?? [],
      knows: (tool) => faces.all.some((face) => isOwnTool(face, view, tool)) || view.resolve(tool).status !== "unknown",
      ...createLacks(adapter, view, faces),
      notices: (client) =>
        chosen === undefined || client === undefined
          ? noticesOf(view)
          : defer(() => from(chosen(client))).pipe(switchMap((exposure) => noticesOf(view, exposure))),
      subscriptions() {
        subscriptions ??= createSubscriptions(usual.options)
        if (released) subscriptions.close()
        return subscriptions
      },
      release() {
        released = true
        subscriptions?.close()
        release()
      },
    }
  }
}

/** The parts that the connections of one endpoint share. */
interface ConnectSite {
  readonly faces: Faces
  /** The profiles of the views that have one. */
  readonly profileOf: WeakMap<View, ViewProfile>
  noticesOf(view: View, exposure?: Exposure): Observable<ServerNotice>
}

/** One view's handlers in one exposure. */
interface Shown {
  readonly options: HandlerOptions
  readonly handlers: Handlers
}

function createShow(
  { core, name }: McpAdapter,
  given: ComposedOptions,
  profileOf: WeakMap<View, ViewProfile>,
): (view: View, exposure: Exposure) => Shown {
  const { states = "both", tools: { pageSize = 1_000, tasks = true } = {}, results = {}, extension } = given
  const { maxChars: maxResultChars = USUAL_RESULT_CHARS, wholeChars: wholeResultChars = 10_000_000, settle } = results
  const { host, shared } = core
  const patience = createPatience()
  const made = new WeakMap<View, Map<Exposure, Shown>>()
  const make = (view: View, exposure: Exposure): Shown => {
    const hostOfView: Host = { ...host, report: (diagnostic) => host.report(diagnostic, view.id) }
    const changes = { catchUp: resolveCatchUp(results.catchUp), settle }
    const lists = { pageSize, maxResultChars, wholeResultChars, shared }
    const options = {
      view,
      calls: core.calls,
      exposure,
      states,
      serverName: name,
      ...lists,
      ...changes,
      profile: profileOf.get(view),
      tasks,
      longSchema: results.longSchema ?? ("either" as const),
      extension,
      host: hostOfView,
      patience,
    }
    return { options, handlers: createHandlers(options) }
  }
  return (view, exposure) => {
    const ofView = made.get(view) ?? new Map<Exposure, Shown>()
    made.set(view, ofView)
    const shown = ofView.get(exposure) ?? make(view, exposure)
    ofView.set(exposure, shown)
    return shown
  }
}

/** Chooses the exposure once per connection, since a connection has one client and its list must not change its kind. */
function createChoice(view: View, { choose }: Faces): ((client: ClientInfo) => Promise<Exposure>) | undefined {
  if (choose === undefined) return undefined
  let choice: Promise<Exposure> | undefined
  return (client) => {
    choice ??= choose(view, client)
    return choice
  }
}

/** Uses the usual handlers for clients that do not identify themselves. */
function choosing(usual: Handlers, find: (client: ClientInfo) => Promise<Handlers>): Handlers {
  const choose =
    (method: string, handler: Handler): Handler =>
    async (params, context) => {
      const { clientInfo } = context
      const handlers = clientInfo === undefined ? undefined : await find(clientInfo)
      return (handlers?.[method] ?? handler)(params, context)
    }
  return Object.fromEntries(Object.entries(usual).map(([method, handler]) => [method, choose(method, handler)]))
}

function createLacks({ core }: McpAdapter, view: View, faces: Faces): Pick<Connection, "lacks"> {
  const { lacks } = core.calls
  if (lacks === undefined) return {}
  return {
    async lacks(name, args, principal) {
      await view.ready()
      const builtIn = faces.all
        .map((face) => face.resolve(view, name))
        .find((exposed) => exposed.kind === "built-in")?.builtIn
      const given = isRecord(args) ? args : {}
      if (builtIn === undefined) return lacks(view, toOwnName(faces, view, { name, args: given }), principal)
      const target = builtIn.target?.(given, view)
      return target === undefined ? [] : lacks(view, toOwnName(faces, view, target), principal)
    },
  }
}
