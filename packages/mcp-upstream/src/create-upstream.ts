import { Client } from "@modelcontextprotocol/client"
import type { ExecuteContext, Reply } from "@x/agentic-service"
import { type Abortable, idleContext, notAvailable } from "@x/agentic-service/adapter"
import { NEVER, Observable, of, Subject } from "rxjs"
import { createCalls } from "./calls/call-tool.js"
import { urisOf } from "./calls/to-reply.js"
import { createHoldings } from "./life/holdings.js"
import { describeStatus, type Keeper, keepConnected } from "./life/keep-connected.js"
import { type Arrivals, createArrivals, createOccupant, type Occupant } from "./life/occupant.js"
import { reasonOf, type Session } from "./life/session.js"
import { type FollowedResources, followResources, hear } from "./mirror/follow-changes.js"
import { type FollowedLists, followLists } from "./mirror/follow-lists.js"
import type { ListKind } from "./mirror/list-all.js"
import { createMembers, type Members } from "./mirror/members.js"
import { isForModels } from "./mirror/to-action.js"
import { createPeer, type OwnPeer, type Read, readTemplate, toResources } from "./peer.js"
import { withPeer } from "./peer-of.js"
import { type Base, createOpen, createOwnConnections, labelOf, type OwnConnections, type Route } from "./route.js"
import { createAllows, createDefinitions, type Definitions } from "./trust/definitions.js"
import { createRedact, redactEvent } from "./trust/redact.js"
import {
  defaultLimits,
  type Listed,
  type Upstream,
  type UpstreamEvent,
  type UpstreamLimits,
  type UpstreamOptions,
} from "./upstream.js"

/** Makes a service of a server. */
export function createUpstream(route: Route, options: UpstreamOptions): Upstream {
  const events = new Subject<UpstreamEvent>()
  const redact = createRedact(route.secrets ?? [])
  const base: Base = {
    limits: { ...defaultLimits, ...options.limits },
    holdings: createHoldings(),
    redact,
    // Whatever is told, a server may have put into it what it knows.
    emit: (event) => events.next(redactEvent(redact, event)),
  }
  const parts: Parts = createParts(route, options, base)
  const { keeper, members, definitions, peer, lists } = parts
  const life = followLife(parts, base)
  if (options.connect === "eager") keeper.start()
  const name = options.name ?? nameOf(route) ?? "upstream"

  const upstream: Upstream = {
    name,
    occupancy: { current: parts.occupant.current, changes: parts.occupant.changes },
    ...(options.description !== undefined && { description: options.description }),
    get instructions() {
      const said = keeper.current()?.client.getInstructions()
      return said === undefined ? "" : base.redact(said)
    },
    states: started(keeper, members.states),
    actions: started(keeper, members.actions),
    links: of({}),
    declared: members.declared,
    failures: NEVER,
    status: keeper.status.asObservable(),
    events: events.asObservable(),
    holdings: base.holdings.now,
    execute: (action, input, context = idleContext) => execute(parts, { action, input }, context),
    accept(tool, digest) {
      const accepted = definitions.accept(tool, digest)
      if (accepted) lists.changed("tools")
      return accepted
    },
    reconnect: keeper.reconnect,
    async close() {
      life.stop()
      lists.close()
      members.close()
      peer.close()
      await Promise.all([keeper.close(), parts.own?.close()])
      parts.occupant.close()
      events.complete()
    },
  }
  return withPeer(upstream, peer)
}

/** Returns the name that a tool has at its server. */
function ownName(tool: string, { rename = {} }: UpstreamOptions): string {
  return Object.entries(rename).find(([, name]) => name === tool)?.[0] ?? tool
}

function nameOf({ to }: Route): string | undefined {
  return to instanceof Client ? to.getServerVersion()?.name : undefined
}

/** Whoever looks makes it connect. */
function started<Item>(keeper: Keeper, map: Observable<Item>): Observable<Item> {
  return new Observable((subscriber) => {
    keeper.start()
    return map.subscribe(subscriber)
  })
}

interface Parts {
  readonly keeper: Keeper
  readonly members: Members
  readonly lists: FollowedLists
  readonly resources: FollowedResources
  readonly definitions: Definitions
  readonly peer: OwnPeer
  readonly occupant: Occupant
  readonly own: OwnConnections | undefined
}

function createParts(route: Route, options: UpstreamOptions, base: Base): Parts {
  const { emit, redact } = base
  const definitions = createDefinitions(options, emit)
  const allows = createAllows(options.include, options.exclude)
  const occupant = createOccupant()
  const keeper = keepConnected({
    ...base,
    child: !(route.to instanceof Client) && route.to.child,
    again: !(route.to instanceof Client),
    open: createOpen(route, options, { ...base, prepare: (client) => prepare(client) }),
    connected: (session) => connected(session),
    looped: (message) => emit({ type: "diagnostic", code: "crash_loop", message }),
  })
  const own = options.ownConnection
    ? createOwnConnections(route, options, { ...base, occupant, calls: () => calls })
    : undefined
  const calls = createCalls({ ...base, keeper, occupant, openOwn: own?.open, label: labelOf(route, options) })
  const peer: OwnPeer = createPeer({
    ...base,
    keeper,
    occupant,
    label: labelOf(route, options),
    follow: (uri) => resources.follow(uri),
    members: () => members,
    freshen: () => lists.freshen(),
  })
  const readFrom = (thing: string): Read => {
    return (uri, { signal }) => peer.request("resources/read", { uri }, { signal, thing }).then(toResources)
  }
  const members: Members = createMembers({
    naming: options,
    thing: occupant.current,
    after: base.holdings.after,
    reason(tool) {
      keeper.wake() // Whoever asks why may have wanted to call it: the next attempt is not waited for.
      return definitions.reason(ownName(tool, options)) ?? describeStatus(keeper.status.value)
    },
    revive: createRevive(keeper, occupant, base.limits),
    async call(target, input, context) {
      const reply = await calls.call(target, input, context)
      await takeIn(reply, { members, lists, peer })
      return reply
    },
    readTemplate: ({ item, thing }, input, context) =>
      readTemplate({ read: readFrom(thing), redact }, { template: item, input }, context),
    remote: (uri) => ({ read: readFrom(occupant.current()).bind(undefined, uri), watch: () => resources.follow(uri) }),
  })
  const put = (kind: ListKind, found: readonly Listed[] | undefined): void => {
    const before = members.list(kind)
    const items = found ?? before
    members.put(kind, kind === "tools" ? definitions.take(items.filter(isForModels).filter(allows)) : items)
    if (kind === "tools") return
    definitions.look(kind, items)
    peer.listed(kind, before)
  }
  const arrivals = createArrivals({ occupant, put })
  const lists = followLists({ ...base, put: arrivals.put })
  const resources = followResources({
    broken: (session) => recover(session, resources, members),
    failed(cause) {
      emit({ type: "diagnostic", code: "list_failed", message: `its changes cannot be followed: ${reasonOf(cause)}` })
    },
  })
  let sessions = 0
  const prepare = (client: Client): void => hear(client, { ...base, ...calls, lists, members, peer })
  const connected = (session: Session): void => {
    if (route.to instanceof Client) hear(route.to, { ...base, lists, members, peer, log: calls.log })
    void begin(session, { keeper, members, lists, resources, peer, arrivals, first: sessions === 0 })
    sessions += 1
  }
  return { keeper, members, lists, resources, definitions, peer, occupant, own }
}

interface Beginning {
  readonly arrivals: Arrivals
  readonly first: boolean
}

/** Reads everything anew with a session. Whatever was missed between two, values may be others. */
async function begin(
  session: Session,
  {
    keeper,
    members,
    lists,
    resources,
    peer,
    arrivals,
    first,
  }: Pick<Parts, "keeper" | "members" | "lists" | "resources" | "peer"> & Beginning,
): Promise<void> {
  arrivals.begin(session)
  resources.begin(session)
  await lists.begin(session)
  if (keeper.current() !== session) return
  arrivals.identify(session, [members, peer])
  members.show()
  if (!first) members.allUpdated()
}

/** Makes what tries a lost server at once, and waits until its members are shown or the attempt has failed. */
function createRevive(keeper: Keeper, occupant: Occupant, { connectMs }: UpstreamLimits) {
  return async (signal: Abortable): Promise<void> => {
    keeper.wake()
    // It is tried at the end of the task.
    await Promise.resolve()
    if (["waiting", "down", "closed"].includes(keeper.status.value.state)) return
    try {
      await occupant.of(await keeper.session(connectMs, signal, true), signal)
    } catch {
      // The status says why.
    }
  }
}

/** What the server said before its answer is told before it, and what the answer names can be read. */
async function takeIn(
  reply: Reply,
  { members, lists, peer }: Pick<Parts, "members" | "lists" | "peer">,
): Promise<void> {
  members.flush()
  await lists.caughtUp()
  if (reply.ok !== "ask") for (const uri of urisOf(reply)) peer.remember(uri)
}

/** The stream of changes broke off: it is opened again where the server still answers, and everything may be another. */
function recover(session: Session, resources: FollowedResources, members: Members): void {
  session.client.discover().then(
    () => {
      resources.begin(session)
      members.allUpdated()
    },
    (cause: unknown) => session.fail(reasonOf(cause)),
  )
}

/** Hides the members once the connection has been lost for a while, or will not come back by itself. */
function followLife({ keeper, members }: Parts, { limits, holdings, emit }: Base): { stop(): void } {
  let cancel = (): void => {}
  let shown = false
  const hide = (): void => {
    shown = false
    members.hide()
  }
  const subscription = keeper.status.subscribe((status) => {
    emit({ type: "status", status })
    if (status.state === "connected") {
      cancel()
      shown = true
    } else if (status.state === "down" || (status.state === "waiting" && !shown)) {
      cancel()
      hide()
    } else if (status.state === "waiting") {
      cancel()
      cancel = holdings.after(limits.graceMs, hide)
    }
  })
  return {
    stop() {
      cancel()
      subscription.unsubscribe()
      members.hide()
    },
  }
}

async function execute(
  { keeper, members, occupant }: Parts,
  { action, input }: { readonly action: string; readonly input: unknown },
  context: ExecuteContext,
): Promise<Reply> {
  keeper.start()
  const session = keeper.current()
  // Until it is known which server a connection reaches, the members are those of the one before.
  if (session !== undefined && !occupant.isIdentified())
    await occupant.of(session, context.signal).catch(() => undefined)
  const found = members.find(action)
  if (found === undefined) {
    const declared = members.declared.actions[action]
    return notAvailable(action, {
      reason: declared?.unavailable() ?? describeStatus(keeper.status.value),
      callable: [],
    })
  }
  return found.execute(input, context)
}
