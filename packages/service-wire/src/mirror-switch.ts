import type { AgenticService } from "@x/agentic-service"
import { type OptionRule, unref, withDefaults } from "@x/base"
import type { Observable } from "rxjs"
import type { Channel, WireClosed } from "./channel.js"
import type { AnyFrame, MirrorFrame } from "./frames.js"
import { checkOptions, toLimits, type WireLimits, wireLimitRules } from "./limits.js"
import { type Connection, type ConnectionOptions, createConnection } from "./mirror/connection.js"
import { createCurrentConnection, type MirrorStatus } from "./mirror/current-connection.js"
import { createLabel } from "./mirror/label.js"
import { createActs } from "./mirror/mirror-acts.js"
import { createMirrorNode, createMirrorNodes, type MirrorNode, type MirrorNodes } from "./mirror/mirror-node.js"
import { createSeats, type SourcePlace } from "./mirror/occupant.js"
import { membersOf, type OfferedMembers } from "./mirror/offered-members.js"
import { createOthers } from "./mirror/others.js"
import { createRawGraph } from "./mirror/raw-graph.js"
import { createRequests } from "./mirror/requests.js"
import { openSession, type Session } from "./session.js"
import { now } from "./time.js"

/** Options of a mirror. */
export interface MirrorOptions {
  /** The name of the mirror until the other side has sent its own. Default `"remote"`. */
  readonly name?: string
  /** Limits for everything the other side sends. */
  readonly limits?: Partial<WireLimits>
  /**
   * How long the members of a lost connection stay visible while calls wait for another channel, in milliseconds. Default 0.
   */
  readonly graceMs?: number
  /**
   * The interval between heartbeats, in milliseconds. The other side counts as lost after 2.5 intervals of silence. Default
   * 10,000.
   */
  readonly beatMs?: number
  /** The shortest time between two diffs, in milliseconds. The other side merges changes in between. Default 0. */
  readonly paceMs?: number
  /**
   * Whether the other side belongs to somebody else. Tool names, URIs and protocol fields of its choosing are then dropped.
   * Default `false`.
   */
  readonly foreign?: boolean
  /** The reason that an action is unavailable because only an unselected offer has it. Default: a sentence that says so. */
  readonly elsewhere?: string
  /**
   * The reason that members are unavailable while there is no channel, as models read it. Default: how the last channel ended.
   */
  readonly absent?: string
}

const mirrorRules: Record<keyof MirrorOptions, OptionRule> = {
  name: "text",
  limits: { options: wireLimitRules },
  graceMs: { from: 0 },
  beatMs: { from: 1 },
  paceMs: { from: 0 },
  foreign: "flag",
  elsewhere: "text",
  absent: "text",
}

/** A mirror that shows one of several offers, such as the front tab's. */
export interface MirrorSwitch {
  /** The mirrored service. It stays the same object whichever offer is selected. */
  readonly service: AgenticService
  /** The current status and its changes; see {@link MirrorStatus}. Completes with {@link MirrorSwitch.close}. */
  readonly status: Observable<MirrorStatus>
  /**
   * Adds the offer on a channel. Its members become visible when it is selected.
   *
   * @param source - The place that offers, if it can come back on another channel, as a page can.
   */
  attach(channel: Channel, listener: SourceListener, source?: SourcePlace): MirrorSource
  /** Whether the members of a lost connection are still visible while calls wait for another. */
  isWaiting(): boolean
  /** Whether the offers differ in their members, including the values of states. */
  differ(): boolean
  /** Marks the mirror as unavailable for the given reason. */
  absent(reason: string): void
  /** Says goodbye to all offers and completes all observables; idempotent. */
  close(): void
}

/** One of several offers. Its members can be used before it is selected. */
export interface MirrorSource extends OfferedMembers {
  /** Settles once its channel is closed. */
  readonly closed: Promise<WireClosed>
  /** Whether its first full snapshot has arrived. */
  isWhole(): boolean
  /** Whether all visible members would still exist if it were selected. */
  covers(): boolean
  /** The number of requests sent to it that have no result yet. */
  running(): number
  /** Selects this offer, which must be whole. Members that did not change stay the same objects. */
  select(): void
  /** Says goodbye. */
  close(reason?: string): void
}

/** Receives the events of an offer. */
export interface SourceListener {
  /** Called when an unselected offer has sent its first full snapshot, and on every later change. */
  changed(): void
  /** Called on every diff, whether or not the offer is selected. */
  told?(): void
  /** Called when a request has its result. */
  answered?(): void
  /** Called when the channel is closed, after pending requests are settled. */
  lost?(end: WireClosed): void
}

/**
 * Creates a mirror that shows one of several offers at a time. The service keeps its name and object when another offer is
 * selected; only differing members change.
 *
 * @param lapsed - Called when the grace period after a loss is over, so that another offer may be selected.
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { createMirrorSwitch, offerService } from "@x/service-wire"
 * import { fromMessagePort } from "@x/service-wire/message-port"
 *
 * const { port1, port2 } = new MessageChannel()
 * offerService(createAgenticService({ name: "board" }), fromMessagePort(port1))
 * const board = createMirrorSwitch({ name: "board" })
 * await new Promise<void>((resolve) => {
 *   const tab = board.attach(fromMessagePort(port2), {
 *     changed() {
 *       tab.select() // of several tabs, the one in front
 *       resolve()
 *     },
 *   })
 * })
 * board.status.subscribe(({ state }) => console.log(state)) // live, then unavailable
 * board.close()
 * ```
 */
export function createMirrorSwitch(options: MirrorOptions = {}, lapsed: () => void = () => {}): MirrorSwitch {
  checkOptions(options, mirrorRules)
  const settings = toSettings(options)
  const nodes = createMirrorNodes(() => createMirrorNode(acts, settings.name))
  const inUse = createCurrentConnection({ ...settings, hide: nodes.hide, lapsed })
  const others = createOthers(inUse.current, () => root)
  const acts = createActs({ ...inUse, ...settings, elsewhereReason: settings.elsewhere, elsewhere: others.actionsOf })
  const root = nodes.createNode()
  const closeRoot = root.service.close
  const sessions = new Set<Session>()
  let closed = false

  const select = (connection: Connection): void => {
    if (closed || inUse.current() === connection) return
    inUse.live(connection, () => connection.adopt(root))
    nodes.keep((node) => connection.idOf(node) !== undefined)
    acts.renew(connection)
    others.changed()
  }
  const attach = (channel: Channel, listener: SourceListener, source?: SourcePlace): MirrorSource => {
    const { session, connection } = connect(channel, {
      settings,
      source,
      ...nodes,
      isAdopted: () => inUse.current() === connection,
      failed: root.failed,
      replaced: () => acts.renew(connection),
      whole(actions) {
        if (actions) others.changed()
        listener.changed()
      },
      listener,
      lost(end) {
        sessions.delete(session)
        others.remove(connection)
        connection.requests.lose(end.reason)
        const selected = inUse.current()
        if (!closed && (selected === undefined || selected === connection)) inUse.lost(end)
        listener.lost?.(end)
      },
    })
    sessions.add(session)
    others.add(connection)
    if (closed) session.close("left", "the mirror is closed")
    return { ...toSource(session, connection, { root, select }), ...membersOf(connection, settings) }
  }
  return {
    service: root.service,
    status: inUse.status,
    isWaiting: inUse.isWaiting,
    differ: others.differ,
    absent: (reason) => inUse.lost({ code: "left", reason }),
    attach,
    close() {
      if (closed) return
      closed = true
      for (const session of sessions) session.close("left")
      inUse.close()
      nodes.keep((node) => node === root)
      closeRoot()
    },
  }
}

function toSource(
  session: Session,
  connection: Connection,
  { root, select }: { readonly root: MirrorNode; readonly select: (connection: Connection) => void },
): Omit<MirrorSource, keyof OfferedMembers> {
  return {
    closed: session.closed,
    isWhole: () => session.isOpen() && connection.isWhole(),
    covers: () => connection.covers(root),
    running: connection.requests.running,
    select: () => select(connection),
    close: (reason) => session.close("left", reason),
  }
}

const ELSEWHERE = "only another connected source has it, not the selected one"

interface Settings extends Required<Omit<MirrorOptions, "limits" | "absent">> {
  readonly limits: WireLimits
  readonly absent: string | undefined
}

function toSettings({ limits, absent, ...rest }: MirrorOptions): Settings {
  const usual = { name: "remote", graceMs: 0, beatMs: 10_000, paceMs: 0, foreign: false, elsewhere: ELSEWHERE }
  return { ...withDefaults(usual, rest), limits: toLimits(limits), absent }
}

/** The dependencies of a connection. */
interface ConnectOptions extends MirrorNodes, Pick<ConnectionOptions, "isAdopted" | "failed" | "replaced" | "whole"> {
  readonly settings: Settings
  readonly source: SourcePlace | undefined
  readonly listener: Pick<SourceListener, "told" | "answered">
  readonly lost: (end: WireClosed) => void
}

function connect(
  channel: Channel,
  { settings, source, listener, lost, ...rest }: ConnectOptions,
): { readonly session: Session; readonly connection: Connection } {
  const { limits, beatMs } = settings
  const silentMs = beatMs * BEATS
  let heardAt = now()
  let load: string | undefined
  const session = openSession(channel, {
    hello: { role: "mirror", limits, things: true },
    longest: () => limits.frame,
    silentMs,
    greeted(hello) {
      load = typeof hello["load"] === "string" ? hello["load"] : undefined
    },
    frame(frame: AnyFrame) {
      heardAt = now()
      connection.take(frame)
    },
    closed(end) {
      clearInterval(beat)
      lost(end)
    },
  })
  const send = (frame: MirrorFrame): void => session.send(frame)
  const ttl = (): number => Math.max(0, heardAt + silentMs - now())
  const connection: Connection = createConnection({
    ...rest,
    seatOf: createSeats(source, { foreign: settings.foreign, load: () => load }),
    show: createLabel(source, settings),
    told: () => listener.told?.(),
    paceMs: settings.paceMs,
    graph: createRawGraph(limits, settings),
    requests: createRequests({ send, ttl, answered: () => listener.answered?.(), graceMs: CANCEL_GRACE_MS }),
    send,
    broken: session.close,
  })
  const beat = setInterval(() => send({ t: "beat", at: now() }), beatMs)
  unref(beat)
  send({ t: "beat", at: now() })
  return { session, connection }
}

/** The number of missed heartbeats after which the other side counts as lost. */
const BEATS = 2.5

/** How long a cancelled action may take to settle, in milliseconds. */
const CANCEL_GRACE_MS = 5_000
