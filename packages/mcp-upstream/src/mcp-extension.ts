import type { AgenticService } from "@x/agentic-service"
import { isRecord } from "@x/base"
import {
  type CallContext,
  type Extension,
  type Handler,
  type Params,
  ProtocolError,
  type Result,
  type ServerNotice,
} from "@x/mcp-adapter"
import { parseResourceUri, toPlacedUri } from "@x/mcp-adapter/binding"
import equal from "fast-deep-equal"
import { Subject, switchMap } from "rxjs"
import { type AskPeer, createAskPeer } from "./ask-peer.js"
import { claimantsOf, createWatches, findPeers, type Heard, locate, type Placed, withChanges } from "./placed.js"
import type { Listed } from "./upstream.js"

/** An extension that forwards prompts, completion, resource templates and log messages of servers. */
export interface McpExtension extends Extension {
  /** Stops following the services, without closing them. Idempotent. */
  close(): void
}

/**
 * Creates an extension that forwards what MCP servers offer beside tools and states: prompts, completion, resource templates,
 * resources named in results, and log messages. It covers a service that stands for a server, and all linked ones. A log
 * message reaches the client whose call caused it, if that is known. Pass it as an endpoint's `extension`. The links to a
 * server prefix the names of its prompts: `docs__summarise`.
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
  const watches = createWatches()
  const tell = ({ peer, change }: NonNullable<Heard["told"]>): void => {
    if (change.kind === "resources") notices.next({ kind: "resources" })
    if (change.kind === "updated")
      for (const uri of watches.urisOf(peer, change.uri)) notices.next({ kind: "updated", uri })
  }
  const found = findPeers(service, [], new Set())
  const subscription = found.pipe(switchMap(withChanges)).subscribe(({ peers, told }) => {
    placed = peers
    watches.renew(peers)
    if (told !== undefined) tell(told)
    const now = toPrompts(peers).map(({ listed }) => listed)
    if (equal(prompts, now)) return
    prompts = now
    notices.next({ kind: "prompts" })
  })
  const ask = createAskPeer()
  const peers = (): readonly Placed[] => placed
  return {
    methods: {
      "prompts/list": () => async () => {
        await freshen(placed)
        return { prompts: toPrompts(placed).map(({ listed }) => listed) }
      },
      "prompts/get":
        (_, { serverName }) =>
        (params, context) =>
          getPrompt({ placed, ask, serverName }, params, context),
      "completion/complete": () => (params, context) => complete({ placed, ask }, params, context),
      "resources/templates/list": (own) => listTemplates(own, peers),
      "resources/list": (own, { serverName }) => listResources(own, peers, serverName),
      "resources/read":
        (own, { serverName }) =>
        (params, context) =>
          readResource(own, { placed, ask, serverName }, { params, context }),
      "tools/list": (own) => async (params, context) => {
        if (params["cursor"] === undefined) await freshen(placed)
        return own(params, context)
      },
    },
    capabilities: ({ notices: told }) => ({ prompts: { ...(told && { listChanged: true }) }, logging: {} }),
    hasResource: (uri, { serverName }) => locate(placed, uri, serverName) !== undefined,
    watchResource: (uri, { serverName }) => watches.begin(uri, (now) => locate(now, uri, serverName)),
    notices,
    close() {
      subscription.unsubscribe()
      watches.close()
      notices.complete()
    },
  }
}

async function freshen(placed: readonly Placed[]): Promise<void> {
  const fresh = placed.map(({ peer }) => peer.freshen()).filter((each) => each !== undefined)
  if (fresh.length > 0) await Promise.all(fresh)
}

interface PlacedPrompt extends Placed {
  /** The prompt as listed by its server, renamed. */
  readonly listed: Listed
  /** Its name at the server. */
  readonly there: string
}

/** Returns all prompts. If two would have the same name, the first keeps it. */
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

/** The current servers, the function that asks them, and the server name in our URIs. */
interface Desk {
  readonly placed: readonly Placed[]
  readonly ask: AskPeer
  readonly serverName: string
}

/**
 * Reads a resource beyond the states: one named by a result, or matching a template. Fails if several servers have its URI,
 * even if one of them has it as a state.
 */
async function readResource(
  own: Handler,
  { placed, ask, serverName }: Desk,
  { params, context }: { readonly params: Params; readonly context: CallContext },
): Promise<Result> {
  const uri = String(params["uri"])
  if (claimantsOf(placed, uri).length > 1) {
    const message = "resource not found: several servers have it; read it by its listed URI"
    throw new ProtocolError(context.leg.era === "modern" ? -32_602 : -32_002, message, { data: { uri } })
  }
  return own(params, context).catch(async (cause: unknown) => {
    const located = isNotFound(cause) ? locate(placed, uri, serverName) : undefined
    if (located === undefined) throw cause
    const { at, there } = located
    const request = { method: "resources/read", params: { uri }, there: { uri: there } } as const
    const result = await ask(at.peer, request, context)
    const place = (found: unknown): unknown => (found === there ? uri : placeUri(serverName, at, found))
    return "contents" in result ? { ...result, contents: placeAll(result["contents"], place) } : result
  })
}

/** Replaces resources' URIs by this endpoint's. */
function placeAll(resources: unknown, place: (uri: unknown) => unknown): unknown {
  if (!Array.isArray(resources)) return resources
  return resources.map((each: unknown) =>
    isRecord(each) && "uri" in each ? { ...each, uri: place(each["uri"]) } : each,
  )
}

function placeUri(serverName: string, { path }: Placed, uri: unknown): unknown {
  return typeof uri === "string" ? toPlacedUri(serverName, path, uri) : uri
}

/** Replaces the URIs in a prompt's messages by this endpoint's. */
function placeMessages(result: Result, place: (uri: unknown) => unknown): Result {
  const messages = result["messages"]
  if (!Array.isArray(messages)) return result
  const placed = messages.map((message: unknown) => {
    if (!isRecord(message) || !isRecord(message["content"])) return message
    return { ...message, content: placeContent(message["content"], place) }
  })
  return { ...result, messages: placed }
}

function placeContent(content: Readonly<Record<string, unknown>>, place: (uri: unknown) => unknown): unknown {
  const { type, uri, resource } = content
  if (type === "resource_link") return { ...content, uri: place(uri) }
  return type === "resource" && isRecord(resource)
    ? { ...content, resource: { ...resource, uri: place(resource["uri"]) } }
    : content
}

async function getPrompt({ placed, ask, serverName }: Desk, params: Params, context: CallContext): Promise<Result> {
  const { name, arguments: args } = params
  const found = findPrompt(placed, name)
  const asked = { ...(args !== undefined && { arguments: args }) }
  const request = { method: "prompts/get", params: { name, ...asked }, there: { name: found.there, ...asked } } as const
  return placeMessages(await ask(found.peer, request, context), (uri) => placeUri(serverName, found, uri))
}

async function complete(
  { placed, ask }: Pick<Desk, "placed" | "ask">,
  params: Params,
  caller: CallContext,
): Promise<Result> {
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
  const [only, ...others] = placed.filter(has)
  if (only === undefined) throw new ProtocolError(-32_602, "unknown resource template")
  if (others.length > 0) throw new ProtocolError(-32_602, "several servers have this resource template")
  const { peer } = only
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

/** Lists resources with every field of their server. At the root, their URIs are the server's own. */
function listResources(own: Handler, peers: () => readonly Placed[], serverName: string): Handler {
  return async (params, context) => {
    if (params["cursor"] === undefined) await freshen(peers())
    const listed = await own(params, context)
    const resources = Array.isArray(listed["resources"]) ? listed["resources"] : []
    return { ...listed, resources: resources.map((item: unknown) => enrich(Object(item), peers(), serverName)) }
  }
}

function enrich(item: Listed, placed: readonly Placed[], serverName: string): Listed {
  const ours = parseResourceUri(serverName, String(item["uri"]))
  const peer = ours && placed.find(({ path }) => equal(path, ours.path))?.peer
  const there = ours && peer?.resource(ours.key)
  if (there === undefined) return item
  return { ...there, uri: ours?.path.length === 0 ? there["uri"] : item["uri"] }
}

function isNotFound(cause: unknown): boolean {
  return cause instanceof ProtocolError && (cause.code === -32_602 || cause.code === -32_002)
}
