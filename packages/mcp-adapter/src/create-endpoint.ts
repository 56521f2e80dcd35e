import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "./create-adapter.js"
import { createConnect } from "./create-connect.js"
import { createFaces } from "./create-faces.js"
import type { Endpoint } from "./endpoint.js"
import type { LinkUrl } from "./exposures/built-ins/list-links.js"
import type { WaitForOptions } from "./exposures/built-ins/wait-for.js"
import type { ExposureFor } from "./exposures/exposure-for.js"
import type { ExposureName } from "./exposures/exposure-name.js"
import type { StateMode } from "./exposures/state-mode.js"
import { toCapabilities } from "./handlers/capabilities.js"
import type { CatchUpOptions, SettleOptions } from "./handlers/catch-up/catch-up-options.js"
import { checkExtension } from "./handlers/check-extension.js"
import type { Extension } from "./handlers/extension.js"
import { mergeNotices } from "./handlers/merge-notices.js"
import { formatPath, type Path } from "./names/path.js"
import type { Diagnostic } from "./runtime/diagnostic.js"
import type { ViewLease } from "./views/create-views.js"

/** How one server shows an adapter; every `serveX` takes these. */
export interface EndpointOptions {
  /** What a client may tell its model about the server, in a paragraph. Default: the adapter tells nothing. */
  readonly instructions?: string
  /**
   * Which tools are listed. Default `dynamic`: what can be called now, with a notice of each change. `stable`: everything
   * that is known, always, for clients that keep the list they saw first, and for prompt caches; what cannot be called now
   * says why when it is called. `meta`: a few fixed tools that find actions and run them, for hosts that take few tools.
   * Whatever is listed, every known action can be called by its name.
   */
  readonly exposure?: ExposureName
  /**
   * Chooses the exposure of a legacy connection by what its client says it is, such as `recommendExposure`, which goes by
   * what is known of the client. Default: every client is shown `exposure`. Without sessions nobody says what they are.
   */
  readonly exposureFor?: ExposureFor
  /** How states reach the client. Default `both`: as resources and through the tool `get_state`. */
  readonly states?: StateMode
  /** Whether there is the tool `run_action`, for clients that never list again. Default `true`. */
  readonly runAction?: boolean
  /**
   * Whether, and how, there is the tool `wait_for`, with which a model waits until a state fulfils a condition. It counts
   * for no limit of running calls. Default `false`.
   */
  readonly waitFor?: boolean | WaitForOptions
  /** Whether there is the tool `list_links`. Default `true`. */
  readonly listLinks?: boolean
  /**
   * Where the tools and states of linked services are. Default `namespaced`: here, under names that begin with their path.
   * `endpoints`: each service has an endpoint of its own at `<path>/links/<path of links>`, under plain names, and its tool
   * `list_links` tells where the others are. It takes HTTP; elsewhere they stay namespaced, with a diagnostic.
   */
  readonly links?: "namespaced" | "endpoints"
  /** The most items on a page of a list. Default 1,000. */
  readonly pageSize?: number
  /**
   * The most characters of a tool's result, as JSON; instead of a larger one the model gets the error `too_large`, with its
   * size. Default 10,000,000.
   */
  readonly maxResultSize?: number
  /**
   * Whether, and how, the result of a call says what can be called now and could not before, what went, and which states
   * have other values, all since the call began. Default `true`: within 2,000 characters.
   */
  readonly catchUp?: boolean | Partial<CatchUpOptions>
  /** Makes calls of changing actions wait until the application has come to rest. Default: they do not. */
  readonly settle?: SettleOptions
  /** The rest of MCP on the same server: prompts, completion, logging, tools and resources of your own. Default: nothing. */
  readonly extension?: Extension
}

/**
 * An adapter as one kind of server shows it.
 *
 * @param base - The URL path of the endpoint, without a slash at its end, from a binding that serves links as endpoints below it. Default: it does not.
 * @throws AdapterError `invalid_option` when the extension answers what is not its to answer.
 */
export function createEndpoint(adapter: McpAdapter, options: EndpointOptions = {}, base?: string): Endpoint {
  const { core, ledger, name, version } = adapter
  const { states = "both", extension, links = "namespaced" } = options
  checkExtension(extension)
  if (links === "endpoints" && base === undefined) core.report(linksUnsupported)
  const linkUrl = links === "endpoints" && base !== undefined ? toLinkUrl(base) : undefined
  const { runAction = true, listLinks = true, waitFor } = options
  const confirm = core.confirmsByToken
  const faces = createFaces(options, { states, runAction, waitFor, confirm, links: listLinks, linkUrl }, core.report)
  const connect = createConnect(adapter, options, faces)
  const leaseAt = (path: Path, principal: Principal | undefined): ViewLease | undefined => {
    if (linkUrl !== undefined) return core.linked(path, principal)
    return path.length === 0 ? core.open(principal) : undefined
  }
  return {
    info: { name, version },
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    capabilities: (leg) => toCapabilities(leg, states, extension),
    notices: (view) => mergeNotices(faces.usual.notices(view), extension?.notices, core.report),
    open: (principal) => connect(leaseAt([], principal) ?? core.open(principal)),
    async reaches(path, principal) {
      if (path.length === 0 || linkUrl === undefined) return path.length === 0
      const { view, release } = core.open(principal)
      try {
        await view.ready
        return view.serviceAt(path) !== undefined
      } finally {
        release()
      }
    },
    openAt(path, principal) {
      const lease = leaseAt(path, principal)
      return lease && connect(lease)
    },
    ledger,
    clock: core.clock,
    report: core.report,
  }
}

const linksUnsupported: Diagnostic = {
  code: "links_unsupported",
  message:
    'the option "links" is "endpoints", which takes HTTP: here, linked services are served under namespaced names',
}

function toLinkUrl(base: string): LinkUrl {
  return (path) => (path.length === 0 ? base || "/" : `${base}/links/${formatPath(path)}`)
}
