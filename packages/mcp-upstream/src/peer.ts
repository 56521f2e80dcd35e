import { CLIENT_CAPABILITIES_META_KEY, ProtocolError as Refused } from "@modelcontextprotocol/client"
import { type ExecuteContext, fail, type Meta, type Reply, type ResourceBlock, ServiceError } from "@x/agentic-service"
import { isRecord } from "@x/base"
import { ProtocolError } from "@x/mcp-adapter"
import equal from "fast-deep-equal"
import { Subject } from "rxjs"
import { labelParams, toDeclared } from "./calls/client-request.js"
import { plainMessage, toFailure, toResource } from "./calls/to-reply.js"
import { anyResult, type ListKind } from "./definitions/list-all.js"
import { expand, matches } from "./definitions/to-action.js"
import type { Counted } from "./life/holdings.js"
import type { Keeper } from "./life/keep-connected.js"
import type { Occupant } from "./life/occupant.js"
import { isLoss, isUnknownSession, reasonOf } from "./life/session.js"
import type { Members } from "./mirror/members.js"
import type { Peer, PeerChange, PeerMethod } from "./peer-of.js"
import { type Redact, redactAll } from "./trust/redact.js"
import type { Askable, Listed, UpstreamLimits } from "./upstream.js"

/** A peer seen by its upstream. */
export interface OwnPeer extends Peer {
  /** Makes a URI that a result has named readable. The newest 10,000 are kept. */
  remember(uri: string): void
  /** Forgets the URIs that the former server's results named, since another has taken its place. */
  replace(): void
  /** Announces a newly read list, unless nothing has changed. */
  listed(kind: ListKind, before: readonly Listed[]): void
  /** Announces a new value of a resource that is no state. */
  updated(uri: string): void
  /** Completes the changes. */
  close(): void
}

/** Options of {@link createPeer}. */
export interface PeerOptions {
  /** The connection. */
  readonly keeper: Pick<Keeper, "session">
  /** The identity of the current server. */
  readonly occupant: Pick<Occupant, "current" | "of">
  /** The server's name in labels of its questions. */
  readonly label: string
  /** The kinds of requests that the server may make. */
  readonly mayAsk: readonly Askable[]
  /** The limits of the server. */
  readonly limits: UpstreamLimits
  /** Counts what the upstream holds open. */
  readonly holdings: Counted
  /** Removes secrets from texts. */
  readonly redact: Redact
  /** Returns the members. */
  members(): Members
  /** Follows a resource. Returns a function that stops it. */
  follow(uri: string): () => void
  /** Rereads old lists. */
  freshen(): Promise<void> | undefined
}

/** The most URIs of results that are kept. */
const MOST_NAMED = 10_000

/** How long a request for a list waits for the server's newer list, in milliseconds. */
const FRESHEN_MS = 300

/** Creates the peer of an upstream. */
export function createPeer(options: PeerOptions): OwnPeer {
  const changes = new Subject<PeerChange>()
  const named = new Set<string>()
  const list = (kind: ListKind): readonly Listed[] => options.members().list(kind)
  const resource = (uri: string): Listed | undefined => list("resources").find((each) => each["uri"] === uri)
  const claims = (uri: string): boolean =>
    resource(uri) !== undefined || named.has(uri) || list("templates").some((template) => matches(template, uri))
  return {
    prompts: () => list("prompts"),
    templates: () => list("templates"),
    resource,
    claims,
    changes: changes.asObservable(),
    thing: options.occupant.current,
    request: createRequest(options),
    follow: options.follow,
    freshen() {
      const fresh = options.freshen()
      if (fresh === undefined) return undefined
      return new Promise((resolve) => {
        const cancel = options.holdings.after(FRESHEN_MS, resolve)
        void fresh.finally(() => {
          cancel()
          resolve()
        })
      })
    },
    remember(uri) {
      named.delete(uri)
      named.add(uri)
      const [oldest] = named
      if (named.size > MOST_NAMED && oldest !== undefined) named.delete(oldest)
    },
    listed(kind, before) {
      if (tells(kind, before, list(kind))) changes.next({ kind: kind === "prompts" ? "prompts" : "resources" })
    },
    updated: (uri) => changes.next({ kind: "updated", uri }),
    replace() {
      named.clear()
      changes.next({ kind: "replaced" })
    },
    close: () => changes.complete(),
  }
}

/** Whether clients are told about a list by us: the catalogue announces changes of states. */
function tells(kind: ListKind, before: readonly Listed[], now: readonly Listed[]): boolean {
  return !equal(before, now) && (kind !== "resources" || equal(before.map(toSeen), now.map(toSeen)))
}

function toSeen({ uri, title, name, description, mimeType }: Listed): Listed {
  return { uri, shown: title || name, description, mimeType }
}

/**
 * Creates the function that sends requests to the server. A refusal keeps the server's own error; any other failure is a {@link
 * ServiceError}.
 */
function createRequest({ keeper, occupant, limits, holdings, label, mayAsk, redact }: PeerOptions): Peer["request"] {
  const ask = async (
    waitMs: number,
    method: PeerMethod,
    { params, signal, thing, declared }: Asking,
  ): Promise<Answer> => {
    const session = await keeper.session(waitMs, signal)
    const now = await occupant.of(session, signal)
    if (thing !== undefined && thing !== now) throw replaced()
    try {
      const said = session.era === "modern" ? withDeclared(params, toDeclared(mayAsk, declared)) : { ...params }
      return await session.client.request({ method, params: said }, anyResult, {
        signal,
        timeout: limits.requestMs,
        allowInputRequired: true,
        relatedRequestId: session.origins.mark(),
      })
    } catch (cause) {
      if (isLoss(cause)) session.fail(reasonOf(cause))
      throw cause
    }
  }
  return async (method, params, { signal, thing, declared = {} }) => {
    const over = holdings.open("calls")
    const asking = { params, signal, thing, declared }
    try {
      const answer = await ask(limits.graceMs, method, asking).catch((cause: unknown) => {
        if (!isUnknownSession(cause)) throw cause
        return ask(limits.connectMs, method, asking)
      })
      return labelRequests(answer, label)
    } catch (cause) {
      throw toReadError(cause, redact)
    } finally {
      over()
    }
  }
}

interface Asking {
  readonly params: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly thing: string | undefined
  readonly declared: Meta
}

/** Adds the client's capabilities to a request to a modern server. */
function withDeclared(params: Meta, declared: Meta): Record<string, unknown> {
  const { _meta } = params
  return { ...params, _meta: { ...(isRecord(_meta) && _meta), [CLIENT_CAPABILITIES_META_KEY]: declared } }
}

type Answer = Record<string, unknown>

function replaced(): ServiceError {
  return new ServiceError("another server has taken its place, so nothing was sent", {
    code: "changed",
    recovery: "list again, then repeat the request if you still need it",
  })
}

/** Labels the questions that a server asks before it answers (2026-07-28, basic/patterns/mrtr). */
function labelRequests(answer: Answer, server: string): Answer {
  const { resultType, inputRequests } = answer
  if (resultType !== "input_required" || !isRecord(inputRequests)) return answer
  const labelled = Object.entries(inputRequests).map(([key, input]) => [key, labelRequest(input, server)])
  return { ...answer, inputRequests: Object.fromEntries(labelled) }
}

function labelRequest(input: unknown, server: string): unknown {
  if (!isRecord(input) || !isRecord(input["params"])) return input
  return { ...input, params: labelParams(String(input["method"]), input["params"], server) }
}

function toReadError(cause: unknown, redact: Redact): Error {
  if (cause instanceof ServiceError) return cause
  if (cause instanceof Refused)
    return new ProtocolError(cause.code, redact(plainMessage(cause.message)), { data: redactAll(redact, cause.data) })
  return new ServiceError(`its server is unavailable: ${redact(reasonOf(cause))}`, {
    code: "not_available",
  })
}

/** Reads a resource by its URI. */
export type Read = (uri: string, context: Pick<ExecuteContext, "signal">) => Promise<readonly ResourceBlock[]>

/** Returns the contents of a result of `resources/read`. */
export function toResources({ contents }: Record<string, unknown>): readonly ResourceBlock[] {
  return (Array.isArray(contents) ? contents : []).map(toResource)
}

/** Reads the resource of a template's URI, as the content of a reply. */
export async function readTemplate(
  {
    read,
    redact,
  }: { read(uri: string, context: ExecuteContext): Promise<readonly ResourceBlock[]>; readonly redact: Redact },
  { template, input }: { readonly template: Listed; readonly input: unknown },
  context: ExecuteContext,
): Promise<Reply> {
  try {
    return { ok: true, verbatim: true, content: await read(expand(template, input), context) }
  } catch (cause) {
    if (cause instanceof ServiceError) return fail(cause.message)
    return toFailure(cause, template, { context, redact })
  }
}
