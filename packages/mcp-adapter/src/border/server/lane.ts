import type { JSONRPCNotification, JSONRPCRequest } from "@modelcontextprotocol/server"
import type { Connection, Endpoint } from "../../endpoint.js"
import type { Handler } from "../../handlers/handler.js"
import { createSlots } from "../../runtime/slots.js"
import { answerPlain, type PlainCaller, type PlainRequest, readPlain } from "./plain-request.js"
import type { RequestId } from "./rpc-error.js"
import type { Begun, Stops } from "./stops.js"

/** The lane of a connection that carries many requests. */
export interface Lane {
  /**
   * Answers a plain request.
   *
   * @param key - Identifies the request until it is answered.
   * @returns Whether the request is plain; if not, nothing has happened.
   */
  take(request: JSONRPCRequest, key: RequestId): boolean
  /** Cancels a request, which then gets no answer; returns `false` for unknown keys. */
  giveUp(key: unknown): boolean
  /** {@link ServerOptions.instead}, for requests passed to the SDK. */
  instead(key: unknown): Handler | undefined
  /** Cancels all requests. */
  close(): void
}

/** The context of a connection's lane. */
export interface LaneSite {
  /** The calling client; `undefined` until it is known. */
  readonly caller: () => PlainCaller | undefined
  /** Tells running requests to stop. */
  readonly stops: Stops
  /** Sends an answer. */
  readonly send: (key: RequestId, message: object) => void
  /** Sends a notification that belongs to a request. */
  readonly tell: (key: RequestId, message: JSONRPCNotification) => void
  /** Lets the SDK answer a request whose handler has already run: {@link Lane.instead} returns the result. */
  readonly hand: (request: JSONRPCRequest, key: RequestId) => void
  /** Reports a connection error. */
  readonly failed: (cause: Error) => void
}

/** Creates the lane of one connection. */
export function createLane(endpoint: Endpoint, connection: Connection, site: LaneSite): Lane {
  const { stops, send, tell, hand, failed } = site
  const open = createSlots<Begun, unknown>()
  const run = new Map<unknown, Handler>()
  let logs: boolean | undefined
  /** A legacy client gets every log message until it sets a level (2025-11-25, server/utilities/logging). */
  let legacyLevel: unknown = "debug"
  const logLevelOf = ({ leg }: PlainCaller): unknown => {
    logs ??= leg.era === "legacy" && endpoint.capabilities(leg).logging !== undefined
    return logs ? legacyLevel : undefined
  }
  const answer = async (plain: PlainRequest, caller: PlainCaller, asked: Asked): Promise<void> => {
    const { request, key } = asked
    const begun = stops.begin()
    open.fill(key, begun)
    const given = await answerPlain(endpoint, plain, {
      caller,
      stop: begun.stop,
      failed,
      logLevel: logLevelOf(caller),
      tell: (message) => open.get(key) === begun && tell(key, message),
    })
    begun.end()
    if (open.get(key) !== begun) return
    open.vacate(key)
    if (given.kind === "message") return send(key, given.message)
    run.set(key, given.handler)
    hand(request, key)
  }
  const giveUp = (key: unknown): boolean => {
    const begun = open.get(key)
    open.vacate(key)
    begun?.giveUp()
    return begun !== undefined
  }
  return {
    take(request, key) {
      const caller = site.caller()
      if (caller === undefined) return false
      // The SDK answers this, and the level applies to both paths.
      if (request.method === "logging/setLevel") legacyLevel = request.params?.["level"]
      const plain = readPlain(connection, caller.leg.era, request)
      if (plain === undefined) return false
      answer(plain, caller, { request, key }).catch(failed)
      return true
    },
    giveUp,
    instead(key) {
      const handler = run.get(key)
      run.delete(key)
      return handler
    },
    close() {
      for (const [key] of [...open.all()]) giveUp(key)
    },
  }
}

interface Asked {
  readonly request: JSONRPCRequest
  readonly key: RequestId
}
