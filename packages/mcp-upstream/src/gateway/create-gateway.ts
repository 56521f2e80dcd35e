import type { AgenticService, Link } from "@x/agentic-service"
import { newThing, notAvailable, thingOf } from "@x/agentic-service/adapter"
import { compareText } from "@x/tool-schemas/json"
import equal from "fast-deep-equal"
import { BehaviorSubject, concat, EMPTY, NEVER, type Observable, of, Subject, skip, switchMap } from "rxjs"
import { describeStatus } from "../life/keep-connected.js"
import { type McpExtension, mcpExtension } from "../mcp-extension.js"
import { fromMcpServer } from "../node/from-mcp-server.js"
import { type Peer, peerOf, withPeer } from "../peer-of.js"
import type { Listed, Upstream, UpstreamEvent, UpstreamOptions, UpstreamStatus } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import type { GatewayConfig, GatewayServer } from "./gateway-config.js"
import type { SeenFile } from "./seen-file.js"
import type { SignIns } from "./sign-in.js"

/** Many servers as one service. */
export interface Gateway {
  /** The service: one link for each server, under its name; the one without a prefix is the root's own. */
  readonly service: AgenticService
  /** What passes beside tools and states; the `extension` of whatever serves it. */
  readonly extension: McpExtension
  /** What happens to its servers. Hot; completes on close. */
  readonly events: Observable<GatewayEvent>
  /** Its servers now, by name. */
  servers(): ReadonlyMap<string, Upstream>
  /**
   * Goes on with another configuration: what is the same stays connected, what is gone is closed, what is another is started
   * anew; nobody's session ends. `name`, `exposure` and `states` are those of its first.
   *
   * @returns Which servers came, went, or were started anew.
   */
  apply(config: GatewayConfig): readonly string[]
  /** Closes every server; settles once all is gone. Idempotent. */
  close(): Promise<void>
}

/** Something that happened to a server of a gateway. */
export interface GatewayEvent {
  /** The server's name. */
  readonly server: string
  /** What happened. */
  readonly event: UpstreamEvent
}

/** What a gateway has beside its configuration. */
export interface GatewayOptions {
  /** Keeps what the tools of servers with `onChange: "hold"` were. Default: nothing is kept. */
  readonly seen?: Pick<SeenFile, "store">
  /** Signs in to servers that are reached by URL, if they ask for it. Default: none is signed in to. */
  readonly signIns?: Pick<SignIns, "provider">
}

interface Running {
  readonly server: GatewayServer
  readonly upstream: Upstream
  readonly link: Link
}

/**
 * Makes one service of many servers, which are started as soon as somebody looks.
 *
 * @throws UpstreamError `invalid_option` for a server that cannot be. `parseGatewayConfig` says what is wrong beforehand.
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { serveHttp } from "@x/mcp-adapter/http"
 * import { createGateway } from "@x/mcp-upstream/node"
 *
 * const gateway = createGateway({ mcpServers: { docs: { url: "http://127.0.0.1:9/mcp" } } })
 * const adapter = createMcpAdapter(gateway.service)
 * const server = await serveHttp(adapter, { port: 0, exposure: "meta", extension: gateway.extension })
 *
 * await server.close()
 * adapter.close()
 * await gateway.close()
 * ```
 */
export function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Gateway {
  const { name = "gateway", description } = config
  const events = new Subject<GatewayEvent>()
  const running = new Map<string, Running>()
  const links = new BehaviorSubject<Readonly<Record<string, Link>>>({})
  const plain = new BehaviorSubject<Upstream | undefined>(undefined)
  const closing = new Set<Promise<void>>()
  let closed = false

  const stop = (key: string): void => {
    const ended = running.get(key)?.upstream.close()
    running.delete(key)
    if (ended !== undefined) closing.add(ended.finally(() => closing.delete(ended)))
  }
  const begin = (key: string, server: GatewayServer, upstream: Upstream): void => {
    const toLink = (status: UpstreamStatus): Link => {
      const about = [server.description, toStanding(status)].filter((part) => part !== undefined).join("; ")
      return { service: upstream, ...(about !== "" && { description: about }) }
    }
    running.set(key, { server, upstream, link: toLink({ state: "idle" }) })
    upstream.events.subscribe((event) => {
      const now = running.get(key)
      if (event.type === "status" && now?.upstream === upstream) {
        running.set(key, { ...now, link: toLink(event.status) })
        tellLinks()
      }
      events.next({ server: key, event })
    })
  }
  const tellLinks = (): void => {
    const shown = [...running].filter(([, { server }]) => server.prefix !== false)
    const named = shown.map(([key, { server, link }]) => [server.as ?? key, link] as const)
    const next = Object.fromEntries(named.sort(([a], [b]) => compareText(a, b)))
    if (!isSame(next, links.value)) links.next(next)
  }
  const apply = ({ mcpServers }: GatewayConfig): readonly string[] => {
    if (closed) throw new UpstreamError("closed", "the gateway is closed")
    const wanted = new Map(Object.entries(mcpServers).filter(([, { disabled }]) => disabled !== true))
    const gone = [...running].filter(([key, { server }]) => !equal(wanted.get(key), server)).map(([key]) => key)
    const come = [...wanted].filter(([key]) => !running.has(key) || gone.includes(key))
    // First, because one that cannot be must not leave the others half changed. None is connected before somebody looks.
    const made = come.map(([key, server]) => [key, server, start(key, server, options)] as const)
    for (const key of gone) stop(key)
    for (const each of made) begin(...each)
    const root = [...running.values()].find(({ server }) => server.prefix === false)?.upstream
    if (root !== plain.value) plain.next(root)
    tellLinks()
    return [...new Set([...gone, ...come.map(([key]) => key)])]
  }
  const service = createRoot({ name, description, links, plain })
  apply(config)
  const extension = mcpExtension(service)
  return {
    service,
    extension,
    events: events.asObservable(),
    servers: () => new Map([...running].map(([key, { upstream }]) => [key, upstream])),
    apply,
    async close() {
      closed = true
      extension.close()
      for (const key of [...running.keys()]) stop(key)
      await Promise.all(closing)
      service.close()
      events.complete()
    },
  }
}

type Links = Readonly<Record<string, Link>>

/** Whether two maps lead to the same services, with the same words. */
function isSame(one: Links, other: Links): boolean {
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => one[key]?.service === other[key]?.service && one[key]?.description === other[key]?.description)
  )
}

/** Returns what an agent should know of a server that cannot be called now; nothing of one that can. */
function toStanding(status: UpstreamStatus): string | undefined {
  return status.state === "waiting" || status.state === "down" ? describeStatus(status) : undefined
}

function start(name: string, server: GatewayServer, { seen: seenFile, signIns }: GatewayOptions): Upstream {
  const { command, args, env, cwd, url, headers, type } = server
  const seen = seenFile?.store(name)
  const options = { ...toOptions(name, server), ...(seen && { seen }) }
  if (command !== undefined) {
    const around = { ...(args && { args }), ...(env && { env }), ...(cwd && { cwd }) }
    return fromMcpServer({ command, ...around }, options)
  }
  if (url === undefined) throw new UpstreamError("invalid_option", `server "${name}" has neither "command" nor "url"`)
  const signsIn = server.oauth !== false && !Object.keys(headers ?? {}).some((key) => /^authorization$/i.test(key))
  const auth = signsIn ? signIns?.provider(name, server) : undefined
  const way = type?.toLowerCase() === "sse" ? "sse" : "http"
  return fromMcpServer({ url, type: way, ...(headers && { headers }), ...(auth && { auth }) }, options)
}

function toOptions(name: string, server: GatewayServer): UpstreamOptions {
  const { include, exclude, rename, onChange, ownConnection, era, limits, description } = server
  return {
    name,
    plainNames: server.prefix === false,
    ...(description && { description }),
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(rename && { rename }),
    ...(onChange && { onChange }),
    ...(ownConnection !== undefined && { ownConnection }),
    ...(era && { era }),
    ...(limits && { limits }),
  }
}

interface RootParts {
  readonly name: string
  readonly description: string | undefined
  readonly links: BehaviorSubject<Readonly<Record<string, Link>>>
  readonly plain: BehaviorSubject<Upstream | undefined>
}

/** The service that has the links, and the members of the server without a prefix, whichever it is now. */
function createRoot({ name, description, links, plain }: RootParts): AgenticService {
  const nothing = { states: {}, actions: {}, links: {} }
  const empty = newThing()
  const service: AgenticService = {
    name,
    ...(description !== undefined && { description }),
    // Its own members are those of the server without a prefix, and so is what it stands for.
    occupancy: {
      current: () => (plain.value === undefined ? empty : thingOf(plain.value)),
      changes: plain.pipe(
        switchMap((now) => concat(of(undefined), now?.occupancy.changes ?? NEVER)),
        skip(1),
      ),
    },
    states: plain.pipe(switchMap((now) => now?.states ?? of({}))),
    actions: plain.pipe(switchMap((now) => now?.actions ?? of({}))),
    links: links.asObservable(),
    get instructions() {
      return plain.value?.instructions ?? ""
    },
    get declared() {
      return plain.value?.declared ?? nothing
    },
    failures: NEVER,
    async execute(action, input, context) {
      return plain.value?.execute(action, input, context) ?? notAvailable(action, { callable: [] })
    },
    close() {
      links.complete()
      plain.complete()
    },
  }
  return withPeer(service, createRootPeer(plain))
}

const REPLACED = { kind: "replaced" } as const

function createRootPeer(plain: BehaviorSubject<Upstream | undefined>): Peer {
  const now = (): Peer | undefined => plain.value && peerOf(plain.value)
  const none: readonly Listed[] = []
  return {
    prompts: () => now()?.prompts() ?? none,
    templates: () => now()?.templates() ?? none,
    resource: (uri) => now()?.resource(uri),
    claims: (uri) => now()?.claims(uri) ?? false,
    thing: () => now()?.thing() ?? "",
    async request(method, params, context) {
      const peer = now()
      if (peer === undefined) throw new UpstreamError("unreachable", "its server was taken out of the gateway")
      return peer.request(method, params, context)
    },
    follow: (uri) => now()?.follow(uri) ?? (() => undefined),
    freshen: () => now()?.freshen(),
    changes: plain.pipe(
      switchMap((upstream) => concat(of(REPLACED), (upstream && peerOf(upstream)?.changes) ?? EMPTY)),
      skip(1),
    ),
  }
}
