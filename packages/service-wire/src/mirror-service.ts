import type { AgenticService } from "@x/agentic-service"
import { type OptionRule, withDefaults } from "@x/tool-schemas/json"
import type { Observable } from "rxjs"
import type { Channel, WireClosed } from "./channel.js"
import type { MirrorFrame } from "./frames.js"
import { checkOptions, toLimits, type WireLimits, wireLimitRules } from "./limits.js"
import { type Connection, type ConnectionOptions, createConnection } from "./mirror/connection.js"
import { createLine, type MirrorStatus } from "./mirror/line.js"
import { createActs } from "./mirror/mirror-acts.js"
import { createMirrorNode, type MirrorNode } from "./mirror/mirror-node.js"
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
  /**
   * Whether the other side is somebody else's: tool names and URIs of its own choosing, and what it says in words of a
   * protocol, are left out. Default `false`.
   */
  readonly foreign?: boolean
  /** Why it is not available while there is no channel, in words for models. Default: what happened to the last one. */
  readonly absent?: string
}

const mirrorRules: Record<keyof MirrorOptions, OptionRule> = {
  name: "text",
  limits: { options: wireLimitRules },
  graceMs: { from: 0 },
  beatMs: { from: 1 },
  foreign: "flag",
  absent: "text",
}

/** A service that lives on the other side of a channel. */
export interface MirroredService extends AgenticService {
  /** How it is doing, now and whenever that changes. Never errors; completes with {@link MirroredService.close}. */
  readonly status: Observable<MirrorStatus>
  /**
   * Goes on over another channel, which begins with a snapshot: what says the same as before stays as it is. One that is
   * still open is closed.
   */
  resume(channel: Channel): void
  /** Says goodbye, and completes everything; idempotent. */
  close(): void
}

/**
 * Mirrors the service that is offered on the other side of a channel: a service like any other, to be served, linked or used by
 * hand. It is whole once its `status` is `live`; while there is no channel it has no states and actions, and says why.
 *
 * @param channel - Leave it out where the first one comes later, by {@link MirroredService.resume}.
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { mirrorService } from "@x/service-wire"
 * import { fromMessagePort } from "@x/service-wire/message-port"
 *
 * const { port1 } = new MessageChannel()
 * const board = mirrorService(fromMessagePort(port1))
 * const adapter = createMcpAdapter(board)
 * adapter.close()
 * board.close()
 * ```
 */
export function mirrorService(channel?: Channel, options: MirrorOptions = {}): MirroredService {
  checkOptions(options, mirrorRules)
  const settings = toSettings(options)
  const nodes = createNodes(() => createMirrorNode(acts, settings.name))
  const line = createLine({ ...settings, hide: nodes.hide })
  const acts = createActs({ ...line, foreign: settings.foreign })
  const root = nodes.createNode()
  const closeRoot = root.service.close
  let session: Session | undefined
  let closed = false

  const adopt = (connection: Connection): void => {
    line.live(connection, () => connection.adopt(root))
    nodes.keep((node) => connection.idOf(node) !== undefined)
    acts.renew(connection)
  }
  const resume = (next: Channel): void => {
    if (closed) {
      next.close("the mirror is closed")
      return
    }
    session?.close("left", "the mirror goes on over another channel")
    session = connect(next, {
      settings,
      ...nodes,
      whole(connection) {
        if (!line.isWaiting() || connection.covers(root)) adopt(connection)
        else line.hold(() => adopt(connection))
      },
      lost: line.lost,
    })
  }
  if (channel === undefined) line.lost({ code: "lost", reason: "it is not connected yet" })
  else resume(channel)

  return Object.assign(root.service, {
    status: line.status,
    resume,
    close() {
      if (closed) return
      closed = true
      session?.close("left")
      line.close()
      nodes.keep((node) => node === root)
      closeRoot()
    },
  })
}

/** The mirrored services there are. */
interface Nodes extends Pick<ConnectionOptions, "createNode" | "findNode" | "drop"> {
  /** Hides what all of them show, and says why. */
  hide(reason: string): void
  /** Drops all others. */
  keep(which: (node: MirrorNode) => boolean): void
}

function createNodes(create: () => MirrorNode): Nodes {
  const nodes = new Map<AgenticService, MirrorNode>()
  const drop = (node: MirrorNode): void => {
    nodes.delete(node.service)
    node.setDown("the service it belongs to is not linked now")
    node.service.close()
  }
  return {
    createNode() {
      const node = create()
      nodes.set(node.service, node)
      return node
    },
    findNode: (service) => nodes.get(service),
    drop,
    hide(reason) {
      for (const node of nodes.values()) node.setDown(reason)
    },
    keep(which) {
      for (const node of [...nodes.values()]) if (!which(node)) drop(node)
    },
  }
}

interface Settings extends Required<Omit<MirrorOptions, "limits" | "absent">> {
  readonly limits: WireLimits
  readonly absent: string | undefined
}

function toSettings({ limits, absent, ...rest }: MirrorOptions): Settings {
  const usual = { name: "remote", graceMs: 0, beatMs: 10_000, foreign: false }
  return { ...withDefaults(usual, rest), limits: toLimits(limits), absent }
}

/** What a connection needs of its mirror. */
interface ConnectOptions extends Nodes {
  readonly settings: Settings
  readonly whole: (connection: Connection) => void
  readonly lost: (end: WireClosed) => void
}

function connect(channel: Channel, { settings, whole, lost, ...nodes }: ConnectOptions): Session {
  const { limits, beatMs } = settings
  const silentMs = beatMs * BEATS
  let heardAt = now()
  const session = openSession(channel, {
    hello: { role: "mirror", limits },
    longest: () => limits.frame,
    silentMs,
    greeted: () => undefined,
    frame(frame) {
      heardAt = now()
      connection.take(frame)
    },
    closed(end) {
      clearInterval(beat)
      lost(end)
    },
  })
  const send = (frame: MirrorFrame): void => session.send(frame)
  const connection: Connection = createConnection({
    ...nodes,
    graph: createRawGraph(limits, settings),
    requests: createRequests({ send, ttl: () => Math.max(0, heardAt + silentMs - now()), graceMs: CANCEL_GRACE_MS }),
    send,
    whole: () => whole(connection),
    broken: session.close,
  })
  const beat = setInterval(() => send({ t: "beat", at: now() }), beatMs)
  unref(beat)
  send({ t: "beat", at: now() })
  return session
}

/** How many beats may go unanswered. */
const BEATS = 2.5

/** How long an action that was cancelled may take to say so, in milliseconds. */
const CANCEL_GRACE_MS = 5_000
