import type { AgenticService } from "@x/agentic-service"
import { type OptionRule, withDefaults } from "@x/tool-schemas/json"
import type { Observable } from "rxjs"
import type { Channel, WireClosed } from "./channel.js"
import type { AnyFrame, MirrorFrame } from "./frames.js"
import { checkOptions, toLimits, type WireLimits, wireLimitRules } from "./limits.js"
import { type Connection, type ConnectionOptions, createConnection } from "./mirror/connection.js"
import { createLabel } from "./mirror/label.js"
import { createLine, type MirrorStatus } from "./mirror/line.js"
import { createActs } from "./mirror/mirror-acts.js"
import { createMirrorNode, createMirrorNodes, type MirrorNode, type MirrorNodes } from "./mirror/mirror-node.js"
import { createSeats, type SourcePlace } from "./mirror/occupant.js"
import { membersOf, type OfferedMembers } from "./mirror/offered-members.js"
import { createOthers } from "./mirror/others.js"
import { createRawGraph } from "./mirror/raw-graph.js"
import { createRequests } from "./mirror/requests.js"
import { openSession, type Session } from "./session.js"
import { now, unref } from "./time.js"

/** How a service is mirrored. */
export interface MirrorOptions {
  /** What it is called until the other side has said its name. Default `"remote"`. */
  readonly name?: string
  /** How much is taken from the other side. */
  readonly limits?: Partial<WireLimits>
  /**
   * For how long after a channel is lost what was there stays as it was, in milliseconds, while calls wait for another channel.
   * Default 0.
   */
  readonly graceMs?: number
  /**
   * How often the other side is asked for a sign of life, in milliseconds; after two and a half times that without one it counts
   * as lost. Default 10,000.
   */
  readonly beatMs?: number
  /** How often changes are taken in at most, in milliseconds; what changes in between is merged on the other side. Default 0. */
  readonly paceMs?: number
  /**
   * Whether the other side is somebody else's: tool names and URIs of its own choosing, and what it says in words of a
   * protocol, are left out. Default `false`.
   */
  readonly foreign?: boolean
  /** Why an action that only another offer has is not available. Default: that another one has it. */
  readonly elsewhere?: string
  /** Why it is not available while there is no channel, in words for models. Default: what happened to the last one. */
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

/** A mirror of whichever of several offers was selected, such as that of the tab in front. */
export interface MirrorSwitch {
  /** The mirrored service: the same one whichever offer it stands for. */
  readonly service: AgenticService
  /** How it is doing; see {@link MirrorStatus}. Completes with {@link MirrorSwitch.close}. */
  readonly status: Observable<MirrorStatus>
  /**
   * Follows what is offered on a channel. It is shown once it is selected.
   *
   * @param source - Who offers it, where that is more than the channel, such as a page that may come again on another one.
   */
  attach(channel: Channel, listener: SourceListener, source?: SourcePlace): MirrorSource
  /** Whether what was there is shown, though its channel is lost, and calls wait. */
  isWaiting(): boolean
  /** Whether some of the offers show or do what others do not, values of states included. */
  differ(): boolean
  /** Says that nothing is to be expected, and why. */
  absent(reason: string): void
  /** Says goodbye to all of them, and completes everything; idempotent. */
  close(): void
}

/** One of several offers; what it shows and does is there as soon as it is told. */
export interface MirrorSource extends OfferedMembers {
  /** Settles once its channel is closed. */
  readonly closed: Promise<WireClosed>
  /** Whether it has told all there is. */
  isWhole(): boolean
  /** Whether everything that is shown would still be there if it were selected. */
  covers(): boolean
  /** How many of the requests that were sent to it have not come to a result. */
  running(): number
  /** Has the mirror stand for it; what says the same as before stays the same objects. It must be whole. */
  select(): void
  /** Says goodbye. */
  close(reason?: string): void
}

/** Who hears of an offer. */
export interface SourceListener {
  /** It is whole, or was and has told more, and is not selected. */
  changed(): void
  /** It has told something, selected or not. */
  told?(): void
  /** A request came to its result. */
  answered?(): void
  /** Its channel is closed; what was running is answered. */
  lost?(end: WireClosed): void
}

/**
 * Makes a mirror that stands for one of several offers at a time. Names and objects last: another offer is the same service, with
 * other members where they differ.
 *
 * @param lapsed - Called when the grace after a loss is over, so that another offer may be selected.
 */
export function createMirrorSwitch(options: MirrorOptions = {}, lapsed: () => void = () => {}): MirrorSwitch {
  checkOptions(options, mirrorRules)
  const settings = toSettings(options)
  const nodes = createMirrorNodes(() => createMirrorNode(acts, settings.name))
  const line = createLine({ ...settings, hide: nodes.hide, lapsed })
  const others = createOthers(line.current, () => root)
  const acts = createActs({ ...line, ...settings, elsewhereReason: settings.elsewhere, elsewhere: others.actionsOf })
  const root = nodes.createNode()
  const closeRoot = root.service.close
  const sessions = new Set<Session>()
  let closed = false

  const select = (connection: Connection): void => {
    if (closed || line.current() === connection) return
    line.live(connection, () => connection.adopt(root))
    nodes.keep((node) => connection.idOf(node) !== undefined)
    acts.renew(connection)
    others.changed()
  }
  const attach = (channel: Channel, listener: SourceListener, source?: SourcePlace): MirrorSource => {
    const { session, connection } = connect(channel, {
      settings,
      source,
      ...nodes,
      isAdopted: () => line.current() === connection,
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
        const selected = line.current()
        if (!closed && (selected === undefined || selected === connection)) line.lost(end)
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
    status: line.status,
    isWaiting: line.isWaiting,
    differ: others.differ,
    absent: (reason) => line.lost({ code: "left", reason }),
    attach,
    close() {
      if (closed) return
      closed = true
      for (const session of sessions) session.close("left")
      line.close()
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

const ELSEWHERE = "another one that is connected has it, not the one that is shown"

interface Settings extends Required<Omit<MirrorOptions, "limits" | "absent">> {
  readonly limits: WireLimits
  readonly absent: string | undefined
}

function toSettings({ limits, absent, ...rest }: MirrorOptions): Settings {
  const usual = { name: "remote", graceMs: 0, beatMs: 10_000, paceMs: 0, foreign: false, elsewhere: ELSEWHERE }
  return { ...withDefaults(usual, rest), limits: toLimits(limits), absent }
}

/** What a connection needs of its mirror. */
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

/** How many beats may go unanswered. */
const BEATS = 2.5

/** How long an action that was cancelled may take to say so, in milliseconds. */
const CANCEL_GRACE_MS = 5_000
