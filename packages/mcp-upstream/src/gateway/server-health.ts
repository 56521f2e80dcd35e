import { type AgenticService, createAgenticService } from "@x/agentic-service"
import { cleanLine, cutText } from "@x/base"
import { describeStatus } from "../life/keep-connected.js"
import type { UpstreamStatus } from "../upstream.js"
import type { RefusedServer } from "./gateway-config.js"
import type { ShownServer } from "./gateway-root.js"

/** The state of one server of a gateway. */
export interface ServerHealth {
  /** The server's name in the file. */
  readonly name: string
  /**
   * The state of its connection: `idle` before the first use, `waiting` between two attempts, `sign_in` until a person signs in,
   * `refused` if its entry in the file is faulty.
   */
  readonly state: "idle" | "connecting" | "connected" | "waiting" | "sign_in" | "down" | "refused"
  /** The reason and the remedy, in one line of at most 300 characters, without secrets. Absent if it is connected or idle. */
  readonly reason?: string
}

/** Returns the state of a server. */
export function toHealth(name: string, status: UpstreamStatus): ServerHealth {
  const reason = toStanding(status)
  return { name, state: toState(status), ...(reason !== undefined && { reason }) }
}

function toState(status: UpstreamStatus): ServerHealth["state"] {
  if (status.state === "closed") return "down"
  return status.state === "down" && status.signIn === true ? "sign_in" : status.state
}

/** Returns the reason why a server is unavailable, for a model; `undefined` if it is connected or not yet used. */
export function toStanding(status: UpstreamStatus): string | undefined {
  return status.state === "connected" || status.state === "idle" ? undefined : toShort(describeStatus(status))
}

/** The servers with faulty entries. */
export interface Refused {
  /** Replaces the list. */
  apply(refused: readonly RefusedServer[] | undefined): void
  /** Returns an empty service for each server, described by the reason. */
  shown(): readonly ShownServer[]
  /** Returns their states. */
  health(): readonly ServerHealth[]
}

/** Creates an empty list of refused servers. */
export function createRefused(): Refused {
  let all: readonly RefusedServer[] = []
  let services = new Map<string, AgenticService>()
  return {
    apply(refused = []) {
      all = refused
      services = new Map(all.map(({ name }) => [name, services.get(name) ?? createAgenticService({ name })]))
    },
    shown: () =>
      all.flatMap((each) => {
        const { name, as = name, perCaller = false } = each
        const server = services.get(name)
        return server === undefined || perCaller
          ? []
          : [{ key: name, prefix: as, server, description: toRefusal(each) }]
      }),
    health: () => all.map((each) => ({ name: each.name, state: "refused", reason: toRefusal(each) })),
  }
}

function toRefusal({ reasons }: RefusedServer): string {
  return toShort(`its entry in the gateway's file is invalid: ${reasons.join("; ")}`)
}

/** The most characters of a reason. Parts of it may come from a server. */
const REASON_CHARS = 300

function toShort(text: string): string {
  return cutText(cleanLine(text), REASON_CHARS)
}
