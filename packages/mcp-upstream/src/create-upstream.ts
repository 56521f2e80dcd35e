import { Client } from "@modelcontextprotocol/client"
import type { ExecuteContext, Reply } from "@x/agentic-service"
import { idleContext, notAvailable } from "@x/agentic-service/adapter"
import { NEVER, Observable, of, Subject } from "rxjs"
import { createCalls } from "./calls/call-tool.js"
import { ASKABLE } from "./calls/client-request.js"
import type { CallOptions } from "./calls/send-call.js"
import { urisOf } from "./calls/to-reply.js"
import type { ListKind } from "./definitions/list-all.js"
import { isForModels } from "./definitions/to-action.js"
import { createHoldings } from "./life/holdings.js"
import { describeStatus, type Keeper, keepConnected } from "./life/keep-connected.js"
import { type Arrivals, createArrivals, createOccupant, createRevive, type Occupant } from "./life/occupant.js"
import { reasonOf, type Session } from "./life/session.js"
import { announcesTasks } from "./life/task-results.js"
import { type FollowedResources, followResources, hear } from "./mirror/follow-changes.js"
import { type FollowedLists, followLists } from "./mirror/follow-lists.js"
import { createMembers, type Members } from "./mirror/members.js"
import { createPeer, type OwnPeer, type Read, readTemplate, toResources } from "./peer.js"
import { withPeer } from "./peer-of.js"
import {
  type Base,
  createOpen,
  createOwnConnections,
  finishSignIn,
  labelOf,
  nameOf,
  type OwnConnections,
  type Route,
  signInOf,
} from "./route.js"
import { createAllows, createDefinitions, type Definitions } from "./trust/definitions.js"
import { createRedact, redactEvent } from "./trust/redact.js"
import { defaultLimits, type Listed, type Upstream, type UpstreamEvent, type UpstreamOptions } from "./upstream.js"

/** Creates the service that stands for a server. */
export function createUpstream(route: Route, options: UpstreamOptions): Upstream {
  const events = new Subject<UpstreamEvent>()
  const redact = createRedact(route.secrets ?? [])
  const base: Base = {
    limits: { ...defaultLimits, ...options.limits },
    holdings: createHoldings(),
    label: labelOf(route, options),
    mayAsk: options.mayAsk ?? ASKABLE,
    redact,
    // Events are redacted because a server may repeat a secret that we sent it.
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
    reconnect() {
      signInOf(route)?.renew()
      keeper.reconnect()
    },
    async finishSignIn(callback) {
      await finishSignIn(route, callback, base)
      if (keeper.current() === undefined) keeper.reconnect()
      else void lists.reread()
    },
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

/** Returns a tool's name at its server. */
function ownName(tool: string, { rename = {} }: UpstreamOptions): string {
  return Object.entries(rename).find(([, name]) => name === tool)?.[0] ?? tool
}

/** Starts the connection when the map is first subscribed to. */
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
  const relist: CallOptions["relist"] = (tool) =>
    lists.reread(["tools"]).then(() => members.list("tools").find(({ name }) => name === tool))
  const calls = createCalls({ ...base, keeper, occupant, openOwn: own?.open, relist })
  const peer: OwnPeer = createPeer({
    ...base,
    keeper,
    occupant,
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
    long: () => announcesTasks(keeper.current()?.client.getServerCapabilities()),
    after: base.holdings.after,
    reason(tool) {
      keeper.wake() // A caller who asks for the reason may want to call: do not wait for the next attempt.
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
  const resources = createResources(base, () => members)
  let sessions = 0
  const prepare = (client: Client): void => hear(client, { ...base, ...calls, lists, members, peer })
  const connected = (session: Session): void => {
    if (route.to instanceof Client) hear(route.to, { ...base, lists, members, peer, log: calls.log })
    void begin(session, { keeper, members, lists, resources, peer, arrivals, first: sessions === 0 })
    sessions += 1
  }
  return { keeper, members, lists, resources, definitions, peer, occupant, own }
}

function createResources({ emit }: Base, members: () => Members): FollowedResources {
  const resources = followResources({
    broken: (session) => recover(session, resources, members()),
    failed(cause) {
      emit({ type: "diagnostic", code: "list_failed", message: `resources cannot be followed: ${reasonOf(cause)}` })
    },
  })
  return resources
}

interface Beginning {
  readonly arrivals: Arrivals
  readonly first: boolean
}

/** Reads all lists with a new session, and reports all values as updated since changes may have been missed. */
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

/** Shows changes that a server announced before its answer ahead of it, and makes the answer's URIs readable. */
async function takeIn(
  reply: Reply,
  { members, lists, peer }: Pick<Parts, "members" | "lists" | "peer">,
): Promise<void> {
  members.flush()
  await lists.caughtUp()
  if (reply.ok !== "ask") for (const uri of urisOf(reply)) peer.remember(uri)
}

/** Reopens a broken stream of changes if the server still answers, and reports all values as updated. */
function recover(session: Session, resources: FollowedResources, members: Members): void {
  session.client.discover().then(
    () => {
      resources.begin(session)
      members.allUpdated()
    },
    (cause: unknown) => session.fail(reasonOf(cause)),
  )
}

/** Hides the members once the connection has been lost for the grace period, or will not come back by itself. */
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
  // Until the server of a new connection is identified, the members are those of the connection before.
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
