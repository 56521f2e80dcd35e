import type { AgenticService, Principal } from "@x/agentic-service"
import type { Extension, Handler, MethodExtension, Profiles, ServerNotice } from "@x/mcp-adapter"
import { type ProfileCaller, principalKey, type ViewProfile } from "@x/mcp-adapter/binding"
import { NEVER, type Observable, Subject } from "rxjs"
import { type McpExtension, mcpExtension } from "../mcp-extension.js"
import type { CallerServices } from "./caller-services.js"
import { type CallerView, createCallerView } from "./caller-view.js"
import { createRoot, type RootParts } from "./gateway-root.js"
import { fits, type GatewayProfile, rulesOf } from "./profiles.js"
import { shapeServer } from "./shape-server.js"

/** The current profiles of a gateway. */
export interface RunningProfiles {
  /** Chooses a profile. */
  readonly chosen: Profiles
  /**
   * Applies other profiles; unchanged ones keep running.
   *
   * @param isChanged - Whether callers' own servers have changed.
   */
  apply(profiles: Readonly<Record<string, GatewayProfile>> | undefined, isChanged: boolean): void
  /** Creates an extension that shows each caller the members of their profile. */
  extend(usual: McpExtension): McpExtension
  /** Closes everything. Idempotent. */
  close(): void
}

interface Running {
  readonly rules: GatewayProfile
  /** Returns a caller's view: with the caller's own servers if there are any, else the one that all callers share. */
  viewOf(caller: ProfileCaller): ViewProfile
  readonly service: AgenticService
  readonly extension: McpExtension
}

/** Returns a profile service's extension while in use. */
type ExtensionOf = () => McpExtension | undefined

/** Creates the profiles of a gateway, empty at first. */
export function createRunningProfiles(
  root: Omit<RootParts, "shape">,
  callers: Pick<CallerServices, "ownOf">,
): RunningProfiles {
  const changes = new Subject<void>()
  const extensions = new WeakMap<AgenticService, ExtensionOf>()
  let running: ReadonlyMap<string, Running> = new Map()

  const run = (rules: GatewayProfile): Running => {
    const shape = createShape(rules)
    const service = createRoot({ ...root, shape })
    const toView = (service: AgenticService, extension: ExtensionOf): ViewProfile => {
      const { exposure, schemas } = rules
      extensions.set(service, extension)
      return { service, ...(exposure && { exposure }), ...(schemas && { schemas }) }
    }
    const extension = mcpExtension(service)
    const shared = toView(service, () => extension)
    const ofCallers = new Map<string, ViewProfile>()
    const viewOf = (principal: Principal, own: NonNullable<ReturnType<CallerServices["ownOf"]>>): ViewProfile => {
      const key = principalKey(principal)
      const known = ofCallers.get(key)
      if (known !== undefined) return known
      const created: CallerView = createCallerView(service, { own, shape, left: () => ofCallers.delete(key) })
      const view = toView(created.service, created.extension)
      ofCallers.set(key, view)
      return view
    }
    return {
      rules,
      service,
      extension,
      viewOf({ principal }) {
        const own = callers.ownOf(principal, (server) => rulesOf(rules, server).any)
        return principal === undefined || own === undefined ? shared : viewOf(principal, own)
      },
    }
  }
  const end = ({ service, extension }: Running): void => {
    extension.close()
    service.close()
  }
  return {
    chosen: {
      choose: (caller) => [...running.values()].find(({ rules }) => fits(rules, caller))?.viewOf(caller),
      changes,
    },
    apply(profiles = {}, isChanged) {
      const before = running
      const wanted = Object.entries(profiles)
      running = new Map(
        wanted.map(([name, rules]) => {
          const known = before.get(name)
          return [name, known !== undefined && hasRules(known, rules) ? known : run(rules)]
        }),
      )
      if (!isChanged && isSame([...before.values()], [...running.values()])) return
      changes.next()
      // Callers have moved to their new services.
      const kept = new Set(running.values())
      for (const each of before.values()) if (!kept.has(each)) end(each)
    },
    extend(usual) {
      // A caller without a service sees the usual members.
      return composeByProfile(usual, ({ service } = {}) =>
        service === undefined ? usual : extensions.get(service)?.(),
      )
    },
    close() {
      for (const each of running.values()) end(each)
      running = new Map()
      changes.complete()
    },
  }
}

/** Compares profiles as text, because a file's parser may return unusual objects. */
function hasRules({ rules }: Running, wanted: GatewayProfile): boolean {
  return JSON.stringify(rules) === JSON.stringify(wanted)
}

function isSame(before: readonly Running[], now: readonly Running[]): boolean {
  return before.length === now.length && before.every((each, index) => each === now[index])
}

/** Creates a function that shapes each server once. */
function createShape(rules: GatewayProfile): RootParts["shape"] {
  const shaped = new WeakMap<AgenticService, AgenticService>()
  return ({ key, server }) => {
    const ofServer = rulesOf(rules, key)
    if (!ofServer.any) return undefined
    const known = shaped.get(server) ?? shapeServer(server, ofServer)
    shaped.set(server, known)
    return known
  }
}

function composeByProfile(
  usual: McpExtension,
  of: (profile: ViewProfile | undefined) => McpExtension | undefined,
): McpExtension {
  const methods = Object.keys(usual.methods ?? {}).map((name): [string, MethodExtension] => [
    name,
    (own, site) => {
      const handlers = new WeakMap<McpExtension, Handler>()
      // A caller's own extension lives only while its service is in use.
      return (params, context) => {
        const extension = of(site.profile)
        if (extension === undefined) return own(params, context)
        const handler = handlers.get(extension) ?? extension.methods?.[name]?.(own, site) ?? own
        handlers.set(extension, handler)
        return handler(params, context)
      }
    },
  ])
  const noticesAt: Extension["noticesAt"] = (site): Observable<ServerNotice> => of(site.profile)?.notices ?? NEVER
  return {
    ...usual,
    methods: Object.fromEntries(methods),
    hasResource: (uri, site) => of(site.profile)?.hasResource?.(uri, site) ?? false,
    watchResource: (uri, site) => of(site.profile)?.watchResource?.(uri, site) ?? (() => undefined),
    noticesAt,
  }
}
