import { ServiceError } from "@x/agentic-service"
import { isRecord } from "@x/base"
import { type CallContext, type Params, ProtocolError, type Result } from "@x/mcp-adapter"
import { createSeal, principalKey, type Seal } from "@x/mcp-adapter/binding"
import type { Peer, PeerMethod } from "./peer-of.js"
import { digestOf } from "./trust/definitions.js"

/** A client's request that a foreign server answers. */
export interface PeerRequest {
  /** The method. */
  readonly method: PeerMethod
  /** The parameters as the client sent them. */
  readonly params: Params
  /** The parameters in the server's own names. */
  readonly there: Params
}

/** Asks a foreign server on behalf of a client. */
export type AskPeer = (peer: Peer, request: PeerRequest, context: CallContext) => Promise<Result>

/**
 * The state carried by a client between a foreign server's question and its answer (2026-07-28, basic/patterns/mrtr):
 * principal, server, request and the server's own state.
 */
interface Note {
  readonly until: number
  readonly principal: string
  readonly thing: string
  readonly request: string
  /** The server's own state; absent if it gave none. */
  readonly state?: string
}

/** How long an answer may take, in milliseconds. */
const EXPIRY_MS = 600_000

/**
 * Creates the function that asks foreign servers. An answer reaches only the server that asked, for the same principal and
 * request. Otherwise the request starts over, and the current server asks its own question.
 */
export function createAskPeer(): AskPeer {
  let seal: Seal<Note> | undefined
  const sealed = (): Seal<Note> => {
    // Created at first use: some hosts provide no random numbers while a module loads.
    seal ??= createSeal(crypto.getRandomValues(new Uint8Array(32)), isNote)
    return seal
  }
  const once = async (peer: Peer, { method, params, there }: PeerRequest, context: CallContext): Promise<Result> => {
    const { signal, requestState, inputResponses, meta, trace } = context
    const thing = peer.thing()
    const subject = {
      principal: principalKey(context.principal),
      thing: sealed().digest(thing),
      request: digestOf({ method, ...params }),
    }
    const note = requestState === undefined ? undefined : sealed().open(requestState)
    const answers = note !== undefined && isFor(note, subject) ? { inputResponses, requestState: note.state } : {}
    const _meta = (meta ?? trace) && { ...meta, ...trace }
    const result = await peer.request(method, withoutUndefined({ ...there, _meta, ...answers }), {
      signal,
      thing,
      declared: context.clientCapabilities,
    })
    if (result["resultType"] !== "input_required") return result
    const state = result["requestState"]
    const given = { ...subject, until: Date.now() + EXPIRY_MS, ...(typeof state === "string" && { state }) }
    return { ...result, requestState: sealed().close(given) }
  }
  return (peer, request, context) =>
    once(peer, request, context)
      .catch((cause: unknown) => {
        // Another server has taken its place: ask that one, without the answers meant for the former.
        if (cause instanceof ServiceError && cause.code === "changed") return once(peer, request, context)
        throw cause
      })
      .catch((cause: unknown) => {
        throw cause instanceof ServiceError ? new ProtocolError(-32_603, cause.message, { cause }) : cause
      })
}

function isFor(note: Note, subject: Omit<Note, "until" | "state">): boolean {
  const { until, principal, thing, request } = note
  if (until < Date.now()) return false
  return principal === subject.principal && thing === subject.thing && request === subject.request
}

function isNote(value: unknown): value is Note {
  if (!isRecord(value) || typeof value["until"] !== "number") return false
  if (value["state"] !== undefined && typeof value["state"] !== "string") return false
  return ["principal", "thing", "request"].every((key) => typeof value[key] === "string")
}

function withoutUndefined(params: Params): Params {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
}
