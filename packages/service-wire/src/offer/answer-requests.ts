import {
  type Answers,
  type Ask,
  type ExecuteContext,
  type Outcome,
  type Principal,
  type Progress,
  type Reply,
  ServiceError,
} from "@x/agentic-service"
import {
  actionFailed,
  guardListeners,
  idleContext,
  invalidInput,
  notAvailable,
  toOutcome,
} from "@x/agentic-service/adapter"
import { isRecord, type JsonValue, toJson } from "@x/tool-schemas/json"
import { type AnyFrame, isId, type OfferFrame } from "../frames.js"
import { busy, forgotten, notAccepted, notLinked, tooLate, tooLong, undecided, writeReply } from "../reply.js"
import { createLateness } from "../time.js"
import type { OfferedGraph } from "./offered-graph.js"
import type { AskedHere, OfferedService } from "./offered-service.js"

/** Asks the person in front of the application, instead of the one in front of whoever calls. */
export type AskHere = (asked: AskedHere) => Promise<Answers | "declined" | "cancelled">

/** Answers what the other side asks for. */
export interface RequestDesk {
  /** Takes a frame that asks, or is about something that was asked. */
  take(frame: AnyFrame): void
  /** Stops everything that runs, and answers nothing more. */
  close(): void
}

/** What a desk needs. */
export interface DeskOptions {
  /** Where the services are. */
  readonly graph: OfferedGraph
  /** Sends a frame. What changed goes before a result. */
  readonly send: (frame: OfferFrame) => void
  /** The most requests that run at once. */
  readonly most: () => number
  /** The longest frame the other side takes. */
  readonly longest: () => number
  /** Puts questions on this side. */
  readonly ask: AskHere | undefined
}

interface Request {
  readonly id: number
  readonly frame: AnyFrame
  readonly context: ExecuteContext
}

/** Nothing asked yet. */
export function createRequestDesk(options: DeskOptions): RequestDesk {
  const { graph, send, most } = options
  const lateness = createLateness()
  const running = new Map<number, Running>()
  const watches = createWatches(graph)
  let closed = false

  const settle = (id: number, result: JsonValue): void => {
    if (closed || !running.delete(id)) return
    const text = JSON.stringify(result)
    const fits = text.length < options.longest() * 0.9
    send({ t: "result", id, r: fits ? result : tooLong(text.length, options.longest()) })
  }
  const refuse = ({ at, ttl }: AnyFrame): JsonValue | undefined => {
    const late = typeof at === "number" ? lateness.measure(at) : 0
    if (typeof ttl === "number" && late > ttl) return tooLate
    return running.size > most() ? busy : undefined
  }
  const begin = (frame: AnyFrame, answer: (request: Request) => Promise<JsonValue>): void => {
    const { id, c } = frame
    if (!isId(id) || running.has(id)) return
    const started = createRunning(id, send)
    running.set(id, started)
    const refused = refuse(frame)
    if (refused !== undefined) {
      settle(id, refused)
      return
    }
    const context = readContext(c, started)
    // A service written by hand may not keep to its contract.
    answer({ id, frame, context }).then(
      (result) => settle(id, result),
      () => settle(id, toJson(actionFailed("it broke its contract"))),
    )
  }
  const answers = createAnswers(options)
  return {
    take(frame) {
      const answer = answers.find(frame.t)
      if (answer !== undefined) begin(frame, answer)
      else if (frame.t === "beat") lateness.measure(Number(frame["at"]))
      else if (frame.t === "watch") watches.set(frame)
      else if (isId(frame["id"])) steer(running.get(frame["id"]), frame.t)
    },
    close() {
      closed = true
      for (const { abort } of running.values()) abort()
      answers.close()
      watches.close()
    },
  }
}

/** How each kind of request is answered. */
function createAnswers(options: DeskOptions) {
  const { graph } = options
  const questions = new Map<number, Ask>()
  const reply = (id: number, came: Reply): JsonValue => {
    if (came.ok === "ask") questions.set(id, came)
    return writeReply(came)
  }
  const kinds = new Map<string, (request: Request) => Promise<JsonValue>>([
    ["call", async (request) => reply(request.id, await callAction(request, options))],
    ["check", (request) => checkInput(request, graph)],
    ["read", (request) => readState(request, graph)],
    [
      "resume",
      async ({ id, frame: { q, a }, context }) => {
        const question = isId(q) ? questions.get(q) : undefined
        if (question === undefined) return toJson(forgotten)
        questions.delete(Number(q))
        return reply(id, await question.resume(a === "declined" || isRecord(a) ? a : "cancelled", context))
      },
    ],
  ])
  return {
    find: (kind: string) => kinds.get(kind),
    /** Gives up what was asked and not answered. */
    close(): void {
      for (const question of questions.values()) void toOutcome("", question, idleContext)
    },
  }
}

function steer(running: Running | undefined, kind: string): void {
  if (kind === "more") running?.more()
  if (kind === "cancel") running?.abort()
}

/** A request that is being answered. */
interface Running {
  /** Aborts when the other side gives it up. */
  readonly signal: AbortSignal
  /** Reports progress. */
  progress(progress: Progress): void
  /** The other side takes another report. */
  more(): void
  /** Gives it up. */
  abort(): void
}

/** Sends reports of progress one at a time: what comes before the other side asks for more is merged, and no text is lost. */
function createRunning(id: number, send: (frame: OfferFrame) => void): Running {
  const controller = new AbortController()
  guardListeners(controller.signal, (cause) => {
    // biome-ignore lint/suspicious/noConsole: nobody else hears of it on this side, and left alone it ends a process of Node
    globalThis.console?.warn("@x/service-wire: a listener of the signal of a call threw", cause)
  })
  let free = true
  let waiting: Progress | undefined

  const flush = (): void => {
    if (!free || waiting === undefined) return
    const { progress, total, message, text } = waiting
    waiting = undefined
    free = false
    const rest = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
    send({ t: "progress", id, p: { progress, ...rest, ...(text !== undefined && { text }) } })
  }
  return {
    signal: controller.signal,
    progress(report) {
      const text = (waiting?.text ?? "") + (report.text ?? "")
      const { text: _, ...rest } = report
      waiting = { ...rest, ...(text !== "" && { text: text.slice(-PROGRESS_TEXT) }) }
      flush()
    },
    more() {
      free = true
      flush()
    },
    abort: () => controller.abort(),
  }
}

const PROGRESS_TEXT = 1_000_000

function readContext(sent: unknown, { signal, progress }: Running): ExecuteContext {
  const { principal, answers, confirmed } = isRecord(sent) ? sent : {}
  return {
    signal,
    progress,
    answers: isRecord(answers) ? answers : {},
    ...(isPrincipal(principal) && { principal }),
    ...(confirmed === true && { confirmed }),
  }
}

function isPrincipal(value: unknown): value is Principal {
  return isRecord(value) && typeof value["id"] === "string"
}

/** Runs an action by the path that every caller takes; on this side its questions come first, where they are put here. */
async function callAction({ frame, context }: Request, { graph, ask }: DeskOptions): Promise<Reply> {
  const { service, key } = find(frame, graph)
  if (service === undefined) return notAvailable(key, { reason: notLinked, callable: [] })
  if (ask === undefined) return service.service.execute(key, frame["i"], context)
  const answered = await askHere({ service, key, input: frame["i"], context }, ask)
  return "ok" in answered ? answered : service.service.execute(key, frame["i"], answered.context)
}

/** A call whose questions are put on this side. */
interface CallHere extends Pick<Request, "context"> {
  readonly service: OfferedService
  readonly key: string
  readonly input: unknown
}

async function askHere(
  { service, key, input, context }: CallHere,
  ask: AskHere,
): Promise<Outcome | { readonly context: ExecuteContext }> {
  const action = service.maps.actions.find(key)
  if (action === undefined || (action.confirm === undefined && action.ask === undefined)) return { context }
  const checked = await action.check(input)
  if (!checked.ok) return invalidInput(key, checked.issues)
  const answers = await ask({
    action: key,
    ...(action.title !== undefined && { title: action.title }),
    destructive: action.hints.destructive === true,
    ...(action.confirm && { confirm: action.confirm(checked.input) }),
    questions: action.ask?.(checked.input) ?? {},
    signal: context.signal,
  })
  if (answers === "declined") return notAccepted(key)
  if (answers === "cancelled") return undecided(key)
  return { context: { ...context, answers, confirmed: true } }
}

/** Checks input of an action that asks, and makes its questions. */
async function checkInput({ frame }: Request, graph: OfferedGraph): Promise<JsonValue> {
  const { service, key } = find(frame, graph)
  const action = service?.maps.actions.find(key)
  if (action === undefined) return { ok: "gone" }
  const checked = await action.check(frame["i"])
  if (!checked.ok) return toJson({ ok: false, issues: checked.issues })
  return toJson({ ok: true, confirm: action.confirm?.(checked.input), ask: action.ask?.(checked.input) })
}

async function readState({ frame, context }: Request, graph: OfferedGraph): Promise<JsonValue> {
  const { service, key } = find(frame, graph)
  const remote = service?.maps.states.find(key)?.remote
  if (remote === undefined) return { ok: false, message: `there is no state "${key}" now` }
  try {
    return toJson({ ok: true, parts: await remote.read(context) })
  } catch (thrown) {
    // Other words were not meant for whoever asks.
    return {
      ok: false,
      message: ServiceError.from(thrown) === thrown ? ServiceError.from(thrown).message : "it failed",
    }
  }
}

function find(
  frame: AnyFrame,
  graph: OfferedGraph,
): { readonly service: OfferedService | undefined; readonly key: string } {
  const { s, k } = frame
  return { service: isId(s) ? graph.find(s) : undefined, key: typeof k === "string" ? k : "" }
}

/** States held elsewhere that the other side watches. */
function createWatches(graph: OfferedGraph) {
  const watched = new Map<string, () => void>()
  const end = (place: string): void => {
    watched.get(place)?.()
    watched.delete(place)
  }
  return {
    set(frame: AnyFrame): void {
      const { service, key } = find(frame, graph)
      const place = `${service?.id}/${key}`
      end(place)
      const remote = service?.maps.states.find(key)?.remote
      if (frame["on"] === true && remote !== undefined) watched.set(place, remote.watch())
    },
    close(): void {
      for (const place of [...watched.keys()]) end(place)
    },
  }
}
