import type { Principal } from "@x/agentic-service"
import { isRecord } from "@x/tool-schemas/json"
import { defer, from, type Observable, switchMap } from "rxjs"
import { AdapterError } from "./adapter-error.js"
import type { ClientInfo } from "./calls/call-context.js"
import type { McpAdapter } from "./create-adapter.js"
import type { Connection, Endpoint } from "./endpoint.js"
import type { EndpointOptions } from "./endpoint-options.js"
import { createExposure } from "./exposures/create-exposure.js"
import { type Exposure, type ExposureName, type ExposureOptions, exposureNames } from "./exposures/exposure.js"
import type { LinkUrl } from "./exposures/list-links.js"
import { createPatience } from "./handlers/call-tool.js"
import { resolveCatchUp } from "./handlers/catch-up.js"
import { composeExtensions } from "./handlers/compose-extensions.js"
import { type Extension, mergeNotices, type ServerNotice } from "./handlers/extension.js"
import type { Handler, Handlers } from "./handlers/handler.js"
import type { HandlerOptions } from "./handlers/handler-options.js"
import { USUAL_RESULT_CHARS } from "./handlers/list-tools.js"
import { checkExtension, createHandlers, toCapabilities } from "./handlers/methods.js"
import { createSubscriptions, type Subscriptions } from "./handlers/resources.js"
import { formatPath, type Path } from "./names/path.js"
import type { Diagnostic, Report } from "./runtime/diagnostic.js"
import type { Host } from "./runtime/host.js"
import type { ViewLease } from "./views/create-views.js"
import { joinInstructions } from "./views/instructions.js"
import type { View } from "./views/view.js"

/**
 * An adapter as one kind of server shows it.
 *
 * @param base - The URL path of the endpoint, without a slash at its end, from a binding that serves links as endpoints below it. Default: it does not.
 * @throws AdapterError `invalid_option` when the extension answers what is not its to answer.
 */
export function createEndpoint(adapter: McpAdapter, given: EndpointOptions = {}, base?: string): Endpoint {
  const { core, name, version } = adapter
  const extensions = [given.extension ?? []].flat()
  extensions.forEach(checkExtension)
  const options = { ...given, extension: composeExtensions(extensions, core.host.report) }
  const { states = "both", extension, links = "namespaced", tools = {} } = options
  if (links === "endpoints" && base === undefined) core.host.report(linksUnsupported)
  const linkUrl = links === "endpoints" && base !== undefined ? toLinkUrl(base) : undefined
  const { runAction = true, listLinks = true, waitFor } = tools
  // Tools of the adapter's own shorten what they answer, and say how to read on.
  const sizeLimit = Math.min(OWN_RESULT_CHARS, options.results?.maxChars ?? OWN_RESULT_CHARS)
  const confirm = core.calls.confirmsByToken
  const faces = createFaces(
    options,
    { states, runAction, waitFor, confirm, links: listLinks, linkUrl, sizeLimit },
    core.host.report,
  )
  core.reserve(faces.all.flatMap(({ ownNames }) => ownNames))
  const connect = createConnect(adapter, options, faces)
  const leaseAt = (path: Path, principal: Principal | undefined): ViewLease | undefined => {
    if (linkUrl !== undefined) return core.linked(path, principal)
    return path.length === 0 ? core.open(principal) : undefined
  }
  return {
    info: { name, version },
    capabilities: (leg) => toCapabilities(leg, states, extension),
    notices: (view) => mergeNotices(faces.usual.notices(view), extension.notices, core.host.report),
    open: (principal) => connect(leaseAt([], principal) ?? core.open(principal)),
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
    openAt(path, principal) {
      const lease = leaseAt(path, principal)
      return lease && connect(lease)
    },
    scoped: core.calls.lacks !== undefined,
    host: core.host,
  }
}

/** The most characters that a tool of the adapter's own answers. */
const OWN_RESULT_CHARS = 40_000

const linksUnsupported: Diagnostic = {
  code: "links_unsupported",
  message:
    'the option "links" is "endpoints", which takes HTTP: here, linked services are served under namespaced names',
}

function toLinkUrl(base: string): LinkUrl {
  return (path) => (path.length === 0 ? base || "/" : `${base}/links/${formatPath(path)}`)
}

/** Options whose extensions are put together. */
type ComposedOptions = Omit<EndpointOptions, "extension"> & { readonly extension: Extension }

/** Makes connections; those that show the same of one view share what holds nothing but the view. */
function createConnect(adapter: McpAdapter, options: ComposedOptions, faces: Faces): (lease: ViewLease) => Connection {
  const { report } = adapter.core.host
  const show = createShow(adapter, options)
  return ({ view, release }) => {
    const usual = show(view, faces.usual)
    // Requests of the modern era have none.
    let subscriptions: Subscriptions | undefined
    let released = false
    const chosen = createChoice(view, faces)
    const noticesOf = (exposure: Exposure): Observable<ServerNotice> =>
      mergeNotices(exposure.notices(view), options.extension.notices, report)
    const handlers =
      chosen === undefined
        ? usual.handlers
        : choosing(usual.handlers, async (client) => show(view, await chosen(client)).handlers)
    const extended = options.extension.methods ?? {}
    return {
      view,
      instructions: () => joinInstructions(adapter.instructions, view),
      handlers,
      ownHandler: (method) =>
        Object.hasOwn(handlers, method) && !Object.hasOwn(extended, method) ? handlers[method] : undefined,
      builtIns: () => faces.usual.own(view),
      knows: (tool) => faces.all.some((face) => isBuiltIn(face, view, tool)) || view.resolve(tool).status !== "unknown",
      ...createLacks(adapter, view, faces),
      notices: (client) =>
        chosen === undefined || client === undefined
          ? noticesOf(faces.usual)
          : defer(() => from(chosen(client))).pipe(switchMap(noticesOf)),
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

/** What answers in one view, as one exposure shows it. */
interface Shown {
  readonly options: HandlerOptions
  readonly handlers: Handlers
}

function createShow({ core, name }: McpAdapter, given: ComposedOptions): (view: View, exposure: Exposure) => Shown {
  const { states = "both", tools: { pageSize = 1_000 } = {}, results = {}, extension } = given
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

/** One connection has one client, so the choice is made once; a list that changed its face would be another list. */
function createChoice(view: View, { choose }: Faces): ((client: ClientInfo) => Promise<Exposure>) | undefined {
  if (choose === undefined) return undefined
  let choice: Promise<Exposure> | undefined
  return (client) => {
    choice ??= choose(view, client)
    return choice
  }
}

/** The usual handlers for whoever does not say what they are. */
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
      if (builtIn === undefined) return lacks(view, name, principal)
      const target = builtIn.target?.(isRecord(args) ? args : {}, view)
      return target === undefined ? [] : lacks(view, target.name, principal)
    },
  }
}

function isBuiltIn(exposure: Exposure, view: View, tool: string): boolean {
  return exposure.resolve(view, tool).kind === "built-in"
}

/** The exposures that one endpoint shows. */
interface Faces {
  /** What is shown to whom nothing else is chosen for. */
  readonly usual: Exposure
  /** All there are. */
  readonly all: readonly Exposure[]
  /** Chooses for a client; waits until the view is ready. Never rejects. Absent where all are shown the same. */
  readonly choose?: (view: View, client: ClientInfo) => Promise<Exposure>
}

/**
 * Makes the exposures that an endpoint's options ask for.
 *
 * @throws AdapterError `invalid_option` for an exposure that there is not.
 */
function createFaces(options: EndpointOptions, exposureOptions: ExposureOptions, report: Report): Faces {
  const { exposure = "dynamic", exposureFor } = options
  const made = new Map(exposureNames.map((name) => [name, createExposure(name, exposureOptions)]))
  const usual = made.get(exposure)
  if (usual === undefined) throw new AdapterError("invalid_option", unknownExposure('the option "exposure"', exposure))
  if (exposureFor === undefined) return { usual, all: [usual] }
  const find = (name: ExposureName): Exposure => {
    const found = made.get(name)
    if (found !== undefined) return found
    throw new AdapterError("invalid_option", unknownExposure('the answer of "exposureFor"', name))
  }
  return {
    usual,
    all: [...made.values()],
    async choose(view, client) {
      await view.ready()
      try {
        const name = exposureFor(client, { tools: view.known().length })
        return name === undefined ? usual : find(name)
      } catch (cause) {
        const message = `no exposure was chosen for client "${client.name.slice(0, 100)}": it is shown "${exposure}"`
        report({ code: "exposure_unknown", message, cause }, view.id)
        return usual
      }
    },
  }
}

function unknownExposure(where: string, found: unknown): string {
  const expected = exposureNames.map((name) => `"${name}"`).join(", ")
  return `${where} is "${String(found)}": expected one of ${expected}`
}
