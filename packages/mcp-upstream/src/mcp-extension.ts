import type { AgenticService } from "@x/agentic-service"
import {
  type CallContext,
  type Extension,
  type Handler,
  type Params,
  ProtocolError,
  type Result,
  type ServerNotice,
} from "@x/mcp-adapter"
import { isRecord } from "@x/tool-schemas/json"
import equal from "fast-deep-equal"
import { catchError, combineLatest, map, merge, type Observable, of, Subject, startWith, switchMap } from "rxjs"
import { type AskPeer, createAskPeer } from "./ask-peer.js"
import { type Listed, type Peer, peerOf } from "./upstream.js"

/** What passes through an endpoint beside tools and states. */
export interface McpExtension extends Extension {
  /** Lets go of the services, which it does not close. Idempotent. */
  close(): void
}

/** A server, and where it stands. */
interface Placed {
  /** The links that lead to it. */
  readonly path: readonly string[]
  /** The server. */
  readonly peer: Peer
}

/**
 * Lets prompts, completion, resource templates, resources that results name, and log messages pass through an endpoint: those
 * of a service that stands for a server, and of all that it links to. A log message reaches the client whose call runs,
 * where that is no question. Give it to an endpoint as `extension`. Prompts of linked servers are
 * named with the links that lead there: `docs__summarise`.
 *
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { connectInMemory } from "@x/mcp-adapter/in-memory"
 * import { fromMcpServer, mcpExtension } from "@x/mcp-upstream"
 *
 * const docs = fromMcpServer({ url: "http://127.0.0.1:9/mcp" }, { limits: { retryMs: 60_000 } })
 * const extension = mcpExtension(docs)
 * const adapter = createMcpAdapter(docs)
 * const transport = connectInMemory(adapter, { extension })
 *
 * await transport.close()
 * extension.close()
 * adapter.close()
 * await docs.close()
 * ```
 */
export function mcpExtension(service: AgenticService): McpExtension {
  let placed: readonly Placed[] = []
  let prompts: readonly Listed[] = []
  const notices = new Subject<ServerNotice>()
  const found = findPeers(service, [], new Set())
  const subscription = found.pipe(switchMap(withChanges)).subscribe(({ peers, notice }) => {
    placed = peers
    if (notice !== undefined && notice.kind !== "prompts") notices.next(notice)
    const now = toPrompts(peers).map(({ listed }) => listed)
    if (equal(prompts, now)) return
    prompts = now
    notices.next({ kind: "prompts" })
  })
  const ask = createAskPeer()
  const peers = (): readonly Placed[] => placed
  const claimant = (uri: string): Peer | undefined => placed.find(({ peer }) => peer.claims(uri))?.peer
  return {
    methods: {
      "prompts/list": () => async () => {
        await freshen(placed)
        return { prompts: toPrompts(placed).map(({ listed }) => listed) }
      },
      "prompts/get": () => (params, context) => getPrompt({ placed, ask }, params, context),
      "completion/complete": () => (params, context) => complete({ placed, ask }, params, context),
      "resources/templates/list": (own) => listTemplates(own, peers),
      "resources/list": (own) => listResources(own, peers),
      "resources/read": (own) => async (params, context) => {
        const uri = String(params["uri"])
        return own(params, context).catch((cause: unknown) => {
          const peer = isNotFound(cause) ? claimant(uri) : undefined
          if (peer === undefined) throw cause
          return ask(peer, { method: "resources/read", params: { uri }, there: { uri } }, context)
        })
      },
      "tools/list": (own) => async (params, context) => {
        if (params["cursor"] === undefined) await freshen(placed)
        return own(params, context)
      },
    },
    capabilities: ({ notices: told }) => ({ prompts: { ...(told && { listChanged: true }) }, logging: {} }),
    hasResource: (uri) => claimant(uri)?.follow(uri) ?? false,
    notices,
    close() {
      subscription.unsubscribe()
      notices.complete()
    },
  }
}

/** The servers in a graph, and every change of which they are; walked once, whatever the ways. */
function findPeers(
  service: AgenticService,
  path: readonly string[],
  above: ReadonlySet<AgenticService>,
): Observable<readonly Placed[]> {
  if (above.has(service) || path.length > 16) return of([])
  const peer = peerOf(service)
  const own: readonly Placed[] = peer === undefined ? [] : [{ path, peer }]
  const within = new Set(above).add(service)
  return service.links.pipe(
    startWith({}),
    switchMap((links) => {
      const below = Object.entries(links).map(([key, link]) => findPeers(link.service, [...path, key], within))
      return below.length === 0 ? of([]) : combineLatest(below)
    }),
    map((below) => [...own, ...below.flat()]),
    // A service written by hand may err; what there was of it is gone.
    catchError(() => of(own)),
  )
}

interface Heard {
  readonly peers: readonly Placed[]
  readonly notice?: ServerNotice
}

/** A set of servers, and what each of them tells. */
function withChanges(peers: readonly Placed[]): Observable<Heard> {
  const told = peers.map(({ peer }) => peer.changes.pipe(map((notice) => ({ peers, notice }))))
  return merge(of({ peers }), ...told)
}

async function freshen(placed: readonly Placed[]): Promise<void> {
  const fresh = placed.map(({ peer }) => peer.freshen()).filter((each) => each !== undefined)
  if (fresh.length > 0) await Promise.all(fresh)
}

interface PlacedPrompt extends Placed {
  /** The prompt as its server lists it, under the name it has here. */
  readonly listed: Listed
  /** Its name there. */
  readonly there: string
}

/** All prompts; of two that would have one name, the first keeps it. */
function toPrompts(placed: readonly Placed[]): readonly PlacedPrompt[] {
  const taken = new Map<string, PlacedPrompt>()
  for (const { path, peer } of placed) {
    for (const prompt of peer.prompts()) {
      const there = String(prompt["name"])
      const name = [...path, there].join("__")
      if (!taken.has(name)) taken.set(name, { path, peer, there, listed: { ...prompt, name } })
    }
  }
  return [...taken.values()]
}

function findPrompt(placed: readonly Placed[], name: unknown): PlacedPrompt {
  const found = toPrompts(placed).find(({ listed }) => listed["name"] === name)
  if (found !== undefined) return found
  throw new ProtocolError(-32_602, `unknown prompt ${JSON.stringify(String(name).slice(0, 128))}`)
}

/** The servers there are now, and what asks them. */
interface Desk {
  readonly placed: readonly Placed[]
  readonly ask: AskPeer
}

async function getPrompt({ placed, ask }: Desk, params: Params, context: CallContext): Promise<Result> {
  const { name, arguments: args } = params
  const { peer, there } = findPrompt(placed, name)
  const asked = { ...(args !== undefined && { arguments: args }) }
  return ask(peer, { method: "prompts/get", params: { name, ...asked }, there: { name: there, ...asked } }, context)
}

async function complete({ placed, ask }: Desk, params: Params, caller: CallContext): Promise<Result> {
  const { ref, argument, context } = params
  const { type, name, uri } = isRecord(ref) ? ref : {}
  const rest = { argument, ...(context !== undefined && { context }) }
  const method = "completion/complete"
  if (type === "ref/prompt") {
    const { peer, there } = findPrompt(placed, name)
    return ask(peer, { method, params: { ref, ...rest }, there: { ref: { type, name: there }, ...rest } }, caller)
  }
  const has = ({ peer }: Placed): boolean =>
    peer.templates().some(({ uriTemplate }) => uriTemplate === uri) || peer.claims(String(uri))
  const peer = placed.find(has)?.peer
  if (peer === undefined) throw new ProtocolError(-32_602, "unknown resource template")
  return ask(peer, { method, params: { ref, ...rest }, there: { ref: { type, uri }, ...rest } }, caller)
}

function listTemplates(own: Handler, peers: () => readonly Placed[]): Handler {
  return async (params, context) => {
    const listed = await own(params, context)
    if (params["cursor"] !== undefined) return listed
    const ours = Array.isArray(listed["resourceTemplates"]) ? listed["resourceTemplates"] : []
    return { ...listed, resourceTemplates: [...ours, ...peers().flatMap(({ peer }) => peer.templates())] }
  }
}

/** What a server says of a resource is told as it says it; at the root also under the URI it has there. */
function listResources(own: Handler, peers: () => readonly Placed[]): Handler {
  return async (params, context) => {
    if (params["cursor"] === undefined) await freshen(peers())
    const listed = await own(params, context)
    const resources = Array.isArray(listed["resources"]) ? listed["resources"] : []
    return { ...listed, resources: resources.map((item: unknown) => enrich(Object(item), peers())) }
  }
}

function enrich(item: Listed, placed: readonly Placed[]): Listed {
  const name = String(item["name"])
  for (const { path, peer } of placed) {
    const before = path.map((key) => `${key}/`).join("")
    const there = name.startsWith(before) ? peer.resource(name.slice(before.length)) : undefined
    if (there !== undefined) return { ...there, uri: path.length === 0 ? there["uri"] : item["uri"] }
  }
  return item
}

function isNotFound(cause: unknown): boolean {
  return cause instanceof ProtocolError && (cause.code === -32_602 || cause.code === -32_002)
}
