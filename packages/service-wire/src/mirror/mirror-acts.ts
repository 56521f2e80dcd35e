import { type Ask, type ExecuteContext, type Failure, type Reply, ServiceError, type State } from "@x/agentic-service"
import { type Abortable, abortableOf, aborted, changed, type Issue, notAvailable } from "@x/agentic-service/adapter"
import { isRecord, toJson } from "@x/base"
import { writeWords } from "../identity.js"
import { readQuestions, type Trust } from "../members.js"
import { readReply } from "../reply.js"
import type { Connection } from "./connection.js"
import type { Asked as AskedAction, MirrorCall, MirrorCalls } from "./mirror-action.js"
import type { MirrorActs, MirrorNode } from "./mirror-node.js"
import { mayGoOn, type Seat } from "./occupant.js"
import type { Came, RequestContext } from "./requests.js"

/** Dependencies of the members of mirrored services. */
export interface ActsOptions extends Trust {
  /** Waits for a connection. Resolves with a reason if no connection can be expected, or when the signal aborts. */
  ready(signal: Abortable): Promise<Connection | { readonly reason: string }>
  /** Returns the current connection. */
  current(): Connection | undefined
  /** See {@link MirrorActs.elsewhere}. */
  readonly elsewhere: MirrorActs["elsewhere"]
  /** See {@link MirrorActs.elsewhereReason}. */
  readonly elsewhereReason: string
}

/** The operations of mirrored services, and the watches to repeat on another channel. */
export interface Acts extends MirrorActs {
  /** Sends the watched states to a new connection. */
  renew(connection: Connection): void
}

/** Creates the operations of mirrored services, over the connection of the moment. */
export function createActs(options: ActsOptions): Acts {
  const watched = createWatched(options)
  const siteOf = (node: MirrorNode): Site => ({
    seat: node.occupant.seat,
    reach: (context) => reach({ node, context }, options),
    trust: options,
  })
  return {
    calls: (node) => createCalls(siteOf(node)),
    remote: (node, key) => ({
      read: (context) => read(key, context, siteOf(node)),
      watch: () => watched.watch(node, key),
    }),
    target: (id) => options.current()?.nodeOf(id)?.service,
    elsewhere: options.elsewhere,
    elsewhereReason: options.elsewhereReason,
    renew: watched.renew,
  }
}

/** Access to one service for calls and reads. */
export interface Site {
  /** Returns the current seat of the service. */
  seat(): Seat
  /** Finds the connection and the number to send requests to. */
  reach(context: RequestContext): Promise<Reached>
  /** The trust in the other side. */
  readonly trust: Trust
}

/** Creates the operations behind the actions of a service. */
export function createCalls(site: Site): MirrorCalls {
  return {
    call: (made, context) => call(made, context, site),
    ask: (key, input, thing) => askOther({ key, input, thing }, site),
    thing: () => site.seat().thing,
  }
}

/** Runs an action unless its service's identity has changed since the caller found it or a person was asked. */
async function call(made: MirrorCall, context: ExecuteContext, site: Site): Promise<Reply> {
  const { key, input, gate, harmless, asked } = made
  if (abortableOf(context).aborted) return aborted(key)
  const before = site.seat()
  const things = [context.thing, asked?.thing].filter((thing) => thing !== undefined)
  if (things.some((thing) => thing !== before.thing)) return changed(key)
  const reached = await site.reach(context)
  if ("reason" in reached) return notAvailable(key, { reason: reached.reason, callable: [] })
  if (!mayGoOn(before, site.seat(), harmless)) return changed(key)
  const { connection, id } = reached
  const of = connection.find(id)?.thing
  const came = await connection.requests.ask(
    {
      t: "call",
      s: id,
      k: key,
      ...(input !== undefined && { i: toJson(input) }),
      ...(of !== undefined && { of, g: gate, ...(asked !== undefined && { w: writeWords(asked.questions) }) }),
    },
    context,
  )
  return toReply({ came, key, connection, of }, site.trust)
}

interface Return {
  readonly came: Came
  readonly key: string
  readonly connection: Connection
  readonly of: string | undefined
}

function toReply({ came, key, connection, of }: Return, trust: Trust): Reply {
  if ("lost" in came) return lostInCall(key, came.lost)
  if (isRecord(came.result) && came.result["ok"] === "aborted") return aborted(key)
  const reply = readReply(came.result, trust)
  if (reply.ok !== "ask") return reply
  const resume: Ask["resume"] = async (answers, context) => {
    const request = { t: "resume", q: came.id, a: toJson(answers), ...(of !== undefined && { of }) } as const
    return toReply({ came: await connection.requests.ask(request, context), key, connection, of }, trust)
  }
  const { ask = reply.questions } = connection.show({ confirm: undefined, ask: reply.questions })
  return { ...reply, questions: ask, resume }
}

/** Returns the failure for a lost call. It is unknown whether the action ran. */
function lostInCall(key: string, reason: string): Reply {
  return {
    ok: false,
    code: "connection_lost",
    message: `the connection was lost while action "${key}" ran, so it is unknown whether it took effect: ${reason}`,
    recovery: "read the states before you call it again",
  }
}

/** The connection and number of a service, or the reason why it cannot be reached. */
export type Reached = { readonly connection: Connection; readonly id: number } | { readonly reason: string }

async function reach(
  { node, context }: { node: MirrorNode; context: RequestContext },
  options: ActsOptions,
): Promise<Reached> {
  const connection = await options.ready(abortableOf(context))
  if ("reason" in connection) return connection
  // Its author may have made the service anew, with the same identity.
  const id = connection.idOf(node) ?? connection.idOfThing(node.occupant.seat().thing)
  return id === undefined ? { reason: "no link leads to its service now" } : { connection, id }
}

async function askOther({ key, input, thing }: Check, site: Site): Promise<AskedAction> {
  const context = { signal: AbortSignal.timeout(CHECK_MS) }
  const reached = await site.reach(context)
  if ("reason" in reached) return away(key, reached.reason)
  if (site.seat().thing !== thing) return refused(changed(key))
  const { connection, id } = reached
  const of = connection.find(id)?.thing
  const sent = { ...(input !== undefined && { i: toJson(input) }), ...(of !== undefined && { of }) }
  const came = await connection.requests.ask({ t: "check", s: id, k: key, ...sent }, context)
  if ("lost" in came) return away(key, came.lost)
  const { ok, issues, failure, confirm, ask } = isRecord(came.result) ? came.result : {}
  if (ok === "changed" || site.seat().thing !== thing) return refused(changed(key))
  if (ok === false) return { ok: false, issues: readIssues(issues), ...readCheckFailure(failure, site.trust) }
  if (ok !== true) return away(key, undefined)
  const questions = { confirm: typeof confirm === "string" ? confirm : undefined, ask: readQuestions(ask) }
  return { ok: true, questions, shown: connection.show(questions) }
}

interface Check {
  readonly key: string
  readonly input: unknown
  readonly thing: string
}

const CHECK_MS = 30_000

/** Returns a failed check whose cause is not the input. */
function refused(failure: Failure): AskedAction {
  return { ok: false, issues: [{ path: [], message: failure.message }], failure }
}

function away(key: string, reason: string | undefined): AskedAction {
  return refused(notAvailable(key, { reason, callable: [] }))
}

function readCheckFailure(json: unknown, trust: Trust): { readonly failure?: Failure } {
  if (json === undefined) return {}
  const failure = readReply(json, trust)
  return failure.ok === false ? { failure } : {}
}

function readIssues(json: unknown): readonly Issue[] {
  const issues = Array.isArray(json) ? json.slice(0, MOST_ISSUES) : []
  return issues.flatMap((issue: unknown) => {
    const { path, message } = isRecord(issue) ? issue : {}
    const steps: readonly unknown[] = Array.isArray(path) ? path : []
    return typeof message === "string" ? [{ path: steps.filter(isStep), message }] : []
  })
}

const MOST_ISSUES = 20

function isStep(step: unknown): step is string | number {
  return typeof step === "string" || typeof step === "number"
}

type Remote = NonNullable<State["remote"]>
type ReadContext = Parameters<Remote["read"]>[0]

/** Reads a state whose value is held elsewhere. */
export async function read(
  key: string,
  context: ReadContext,
  site: Site,
): Promise<Awaited<ReturnType<Remote["read"]>>> {
  const before = site.seat()
  if (context.thing !== undefined && context.thing !== before.thing) throw cannotRead(key, REPLACED_STATE)
  const reached = await site.reach(context)
  if ("reason" in reached) throw cannotRead(key, reached.reason)
  if (!mayGoOn(before, site.seat(), true)) throw cannotRead(key, REPLACED_STATE)
  const { connection, id } = reached
  const of = connection.find(id)?.thing
  const came = await connection.requests.ask({ t: "read", s: id, k: key, ...(of !== undefined && { of }) }, context)
  if ("lost" in came) throw cannotRead(key, came.lost)
  const { ok, parts, message } = isRecord(came.result) ? came.result : {}
  const reply = readReply({ ok: true, content: parts }, site.trust)
  if (ok !== true || !reply.ok || reply.ok === "ask")
    throw cannotRead(key, typeof message === "string" ? message : "the answer cannot be read")
  return (reply.content ?? []).filter((block) => block.type === "resource")
}

const REPLACED_STATE = "it has been replaced since you found it"

/** The reader sees this message. */
function cannotRead(key: string, reason: string): ServiceError {
  return new ServiceError(`state "${key}" cannot be read now: ${reason}`, { code: "not_available" })
}

/** Counts the watchers of states that are held elsewhere. */
function createWatched({ current }: ActsOptions) {
  const watched = new Map<MirrorNode, Map<string, number>>()
  const say = (connection: Connection | undefined, node: MirrorNode, watch: { key: string; on: boolean }): void => {
    const s = connection?.idOf(node)
    if (connection === undefined || s === undefined) return
    const of = connection.find(s)?.thing
    connection.send({ t: "watch", s, k: watch.key, on: watch.on, ...(of !== undefined && { of }) })
  }
  const count = (node: MirrorNode, key: string, step: 1 | -1): void => {
    const keys = watched.get(node) ?? new Map<string, number>()
    watched.set(node, keys)
    const now = (keys.get(key) ?? 0) + step
    if (now === 0) keys.delete(key)
    else keys.set(key, now)
    if (keys.size === 0) watched.delete(node)
    if (now === (step === 1 ? 1 : 0)) say(current(), node, { key, on: now > 0 })
  }
  return {
    watch(node: MirrorNode, key: string): () => void {
      let watching = true
      count(node, key, 1)
      return () => {
        if (watching) count(node, key, -1)
        watching = false
      }
    },
    renew(connection: Connection): void {
      for (const [node, keys] of watched) for (const key of keys.keys()) say(connection, node, { key, on: true })
    },
  }
}
