import { ProtocolError as Refused } from "@modelcontextprotocol/client"
import {
  type ExecuteContext,
  fail,
  type JsonSchema,
  type Reply,
  type ResourceBlock,
  ServiceError,
} from "@x/agentic-service"
import { labelQuestion } from "@x/agentic-service/adapter"
import { ProtocolError } from "@x/mcp-adapter"
import { isRecord } from "@x/tool-schemas/json"
import equal from "fast-deep-equal"
import { Subject } from "rxjs"
import { plainMessage, toFailure, toResource } from "./calls/to-reply.js"
import type { Counted } from "./life/holdings.js"
import type { Keeper } from "./life/keep-connected.js"
import type { Occupant } from "./life/occupant.js"
import { isLoss, isUnknownSession, reasonOf } from "./life/session.js"
import { anyResult, type ListKind } from "./mirror/list-all.js"
import type { Members } from "./mirror/members.js"
import { expand, matches } from "./mirror/to-action.js"
import type { Peer, PeerChange, PeerMethod } from "./peer-of.js"
import { type Redact, redactAll } from "./trust/redact.js"
import type { Listed, UpstreamLimits } from "./upstream.js"

/** A peer, as its upstream has it. */
export interface OwnPeer extends Peer {
  /** A result named a URI: it can be read, as long as it is among the newest of those. */
  remember(uri: string): void
  /** Another server has taken the place: what the former named is unknown to it. */
  replace(): void
  /** A list has been read, that was another before, or the same. */
  listed(kind: ListKind, before: readonly Listed[]): void
  /** A resource that is no state has another value. */
  updated(uri: string): void
  /** Ends it. */
  close(): void
}

/** What a peer stands on. */
export interface PeerOptions {
  /** The connection. */
  readonly keeper: Pick<Keeper, "session">
  /** What a connection stands for. */
  readonly occupant: Pick<Occupant, "current" | "of">
  /** The server's name in labels of its questions. */
  readonly label: string
  /** What the server is held to. */
  readonly limits: UpstreamLimits
  /** Counts what is open. */
  readonly holdings: Counted
  /** Takes secrets out. */
  readonly redact: Redact
  /** What there is. */
  members(): Members
  /** Hears of a resource. */
  follow(uri: string): () => void
  /** Reads old lists again. */
  freshen(): Promise<void> | undefined
}

/** How many URIs of results are remembered. */
const MOST_NAMED = 10_000

/** How long a list waits for a server's newer one, in milliseconds. */
const FRESHEN_MS = 300

/** Nothing known yet. */
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

/** Whether clients have to be told of a list by us: of what is seen of states, the catalogue tells. */
function tells(kind: ListKind, before: readonly Listed[], now: readonly Listed[]): boolean {
  return !equal(before, now) && (kind !== "resources" || equal(before.map(toSeen), now.map(toSeen)))
}

function toSeen({ uri, title, name, description, mimeType }: Listed): Listed {
  return { uri, shown: title || name, description, mimeType }
}

/** What its server refuses is refused in the same words; what goes wrong on the way is a {@link ServiceError}. */
function createRequest({ keeper, occupant, limits, holdings, label, redact }: PeerOptions): Peer["request"] {
  const ask = async (waitMs: number, method: PeerMethod, { params, signal, thing }: Asking): Promise<Answer> => {
    const session = await keeper.session(waitMs, signal)
    const now = await occupant.of(session, signal)
    if (thing !== undefined && thing !== now) throw replaced()
    try {
      return await session.client.request({ method, params: { ...params } }, anyResult, {
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
  return async (method, params, { signal, thing }) => {
    const over = holdings.open("calls")
    const asking = { params, signal, thing }
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
}

type Answer = Record<string, unknown>

function replaced(): ServiceError {
  return new ServiceError("another server has taken its place, so it was not asked", {
    code: "changed",
    recovery: "list again, then ask again if it is still wanted",
  })
}

/** Labels what a server asks before it answers (2026-07-28, basic/patterns/mrtr). */
function labelRequests(answer: Answer, server: string): Answer {
  const { resultType, inputRequests } = answer
  if (resultType !== "input_required" || !isRecord(inputRequests)) return answer
  const labelled = Object.entries(inputRequests).map(([key, input]) => [key, labelRequest(input, server)])
  return { ...answer, inputRequests: Object.fromEntries(labelled) }
}

function labelRequest(input: unknown, server: string): unknown {
  if (!isRecord(input) || input["method"] !== "elicitation/create" || !isRecord(input["params"])) return input
  const { message, requestedSchema } = input["params"]
  const schema: JsonSchema = isRecord(requestedSchema) ? requestedSchema : {}
  const question = labelQuestion({ message: String(message), schema }, { kind: "server", name: server })
  const shown = {
    message: question.message,
    ...(requestedSchema !== undefined && { requestedSchema: question.schema }),
  }
  return { ...input, params: { ...input["params"], ...shown } }
}

function toReadError(cause: unknown, redact: Redact): Error {
  if (cause instanceof ServiceError) return cause
  if (cause instanceof Refused)
    return new ProtocolError(cause.code, redact(plainMessage(cause.message)), { data: redactAll(redact, cause.data) })
  return new ServiceError(`its server cannot be asked now: ${redact(reasonOf(cause))}`, {
    code: "not_available",
  })
}

/** Reads a resource. */
export type Read = (uri: string, context: Pick<ExecuteContext, "signal">) => Promise<readonly ResourceBlock[]>

/** The contents of what was read. */
export function toResources({ contents }: Record<string, unknown>): readonly ResourceBlock[] {
  return (Array.isArray(contents) ? contents : []).map(toResource)
}

/** What a template leads to, as a resource in the result. */
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
