import type { AgenticService, Link } from "@x/agentic-service"
import { newThing, notAvailable, thingOf } from "@x/agentic-service/adapter"
import { compareText } from "@x/base"
import { BehaviorSubject, concat, EMPTY, NEVER, of, skip, switchMap } from "rxjs"
import { type Peer, peerOf, withPeer } from "../peer-of.js"
import type { Listed } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"

/** A server of a gateway in its current form. */
export interface ShownServer {
  /** Its name in the file. */
  readonly key: string
  /** The tools' prefix; `undefined` for none. */
  readonly prefix: string | undefined
  /** The server. */
  readonly server: AgenticService
  /** Its purpose, and the reason if it is unavailable. */
  readonly description: string | undefined
}

/** The parts of a gateway's service. */
export interface RootParts {
  /** Its name. */
  readonly name: string
  /** Its purpose. */
  readonly description: string | undefined
  /** The current servers. */
  readonly shown: BehaviorSubject<readonly ShownServer[]>
  /** Returns a server's shaped form; `undefined` hides it. Returns the same object for the same server. */
  shape(server: ShownServer): AgenticService | undefined
}

/** Creates a service with a link for each server, and the members of the server that currently has no prefix. */
export function createRoot({ name, description, shown, shape }: RootParts): AgenticService {
  const links = new BehaviorSubject<Links>({})
  const plain = new BehaviorSubject<AgenticService | undefined>(undefined)
  const following = shown.subscribe((servers) => {
    const root = servers.find(({ prefix }) => prefix === undefined)
    const service = root && shape(root)
    if (service !== plain.value) plain.next(service)
    const next = toLinks(servers, shape)
    if (!isSame(next, links.value)) links.next(next)
  })
  const nothing = { states: {}, actions: {}, links: {} }
  const empty = newThing()
  const service: AgenticService = {
    name,
    ...(description !== undefined && { description }),
    // The root has the members and the identity of the server without a prefix.
    occupancy: {
      current: () => (plain.value === undefined ? empty : thingOf(plain.value)),
      changes: plain.pipe(
        switchMap((now) => concat(of(undefined), now?.occupancy?.changes ?? NEVER)),
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
      following.unsubscribe()
      links.complete()
      plain.complete()
    },
  }
  return withPeer(service, createRootPeer(plain))
}

const REPLACED = { kind: "replaced" } as const

function createRootPeer(plain: BehaviorSubject<AgenticService | undefined>): Peer {
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
      if (peer === undefined)
        throw new UpstreamError("its server was removed from the gateway", { code: "unreachable" })
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

type Links = Readonly<Record<string, Link>>

/** Returns whether two maps have the same services and descriptions. */
function isSame(one: Links, other: Links): boolean {
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => one[key]?.service === other[key]?.service && one[key]?.description === other[key]?.description)
  )
}

/** Returns a link for each shown server with a prefix. */
export function toLinks(servers: readonly ShownServer[], shape: RootParts["shape"]): Links {
  const named = servers.flatMap((shown) => {
    const service = shown.prefix === undefined ? undefined : shape(shown)
    const { prefix = "", description } = shown
    return service === undefined ? [] : [[prefix, { service, ...(description && { description }) }] as const]
  })
  return Object.fromEntries(named.sort(([a], [b]) => compareText(a, b)))
}
