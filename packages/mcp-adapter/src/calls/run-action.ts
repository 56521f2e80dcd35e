import type { Action, Answers, Ask, ExecuteContext, Outcome, Progress, Reply } from "@x/agentic-service"
import {
  type Abortable,
  createStopSource,
  guardListeners,
  type StopSource,
  toOutcome,
  withStop,
} from "@x/agentic-service/adapter"
import { isRecord } from "@x/tool-schemas/json"
import type { ToolEntry } from "../catalogue/entry.js"
import { type Cancel, createDeferred, type Host, startTimer, subscribeIn } from "../runtime/host.js"
import type { ActiveCall, OpenCalls, StopCause, Stoppable } from "./active-call.js"
import { type AskMidway, giveUpAsking } from "./ask-midway.js"
import type { CallLimits } from "./call-limits.js"
import { causeOf, toActionFailed, toStopped } from "./failures.js"
import { createProgressLine } from "./progress-line.js"

/** What a run needs of its surroundings. */
export interface RunSite {
  /** What it is held to. */
  readonly limits: CallLimits
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** Knows what runs, and tells it when all is to end. */
  readonly calls: OpenCalls
  /** Puts what actions ask while they run. */
  readonly midway: AskMidway
}

/** An action that begins, or goes on after a question of its own. */
export interface Runnable {
  /** The entry it was called by. */
  readonly entry: ToolEntry
  /** Limits of its own, which win. */
  readonly action: Pick<Action, "timeoutMs" | "idleMs">
  /** What the person answered before it began; empty where nobody had to be asked. */
  readonly answers: Answers
  /** Runs it until it has an outcome, or asks. */
  readonly run: (context: ExecuteContext) => Promise<unknown>
}

/**
 * Runs the action for as long as its limits allow; the time a person takes to answer is not part of that. Comes back with a
 * question only where that can be put. Never rejects.
 */
export async function runAction(call: ActiveCall, runnable: Runnable, site: RunSite): Promise<Reply> {
  const { context, subject } = call
  const { limits, host } = site
  let closeStuck: (() => void) | undefined
  const run = supervise({
    name: subject.name,
    execute: (stop, progress) => execute(call, runnable, { stop, progress, midway: site.midway }),
    signal: call.stop,
    send: context.progress,
    timeout: runnable.action.timeoutMs ?? limits.timeoutMs,
    limits: { ...limits, idleMs: idleOf(runnable.action, limits) },
    host,
    onPhase(phase) {
      if (phase !== "stuck") return
      closeStuck = host.ledger.open("stuck")
      call.emit({ type: "call-stuck", ...subject, entry: runnable.entry })
    },
    onThrown: (cause) => void toActionFailed(call, "threw in a listener of its signal", cause),
    onUnheard: (ask) => giveUpAsking(call, ask),
    onEnd(late) {
      closeStuck?.()
      if (late) call.emit({ type: "call-late", ...subject, entry: runnable.entry })
    },
  })
  const forget = limits.hidden === "abort" ? stopWhenHidden(call, runnable.entry, { run, host }) : () => {}
  const ended = site.calls.running(run)
  const outcome = await run.outcome
  ended()
  forget()
  return outcome
}

/** What an author says of the time it takes counts before what is usual. */
function idleOf({ idleMs, timeoutMs }: Runnable["action"], limits: CallLimits): number {
  return idleMs ?? (timeoutMs === undefined ? limits.idleMs : Number.POSITIVE_INFINITY)
}

/** The action itself, kept to its contract: it answers with an outcome, whatever a service written by hand does. */
async function execute(
  call: ActiveCall,
  { run, answers, entry: { thing } }: Runnable,
  {
    midway,
    stop,
    progress,
  }: Pick<ExecuteContext, "progress"> & Pick<RunSite, "midway"> & { readonly stop: StopSource },
): Promise<Reply> {
  const { principal, progress: heard, peer, meta, trace } = call.context
  const context: ExecuteContext = withStop(stop, {
    progress,
    thing,
    ...(heard === undefined && { unheard: true as const }),
    answers,
    confirmed: true as const,
    ...(principal && { principal }),
    ...((meta ?? trace) && { meta: { ...meta, ...trace } }),
    ...(peer && { log: peer.log }),
  })
  try {
    const reply = await run(context)
    if (isAsk(reply) && midway.canPut(call)) return reply
    // What it asks can reach nobody: it is told so, and ends as it can.
    const outcome = isAsk(reply) ? await toOutcome(call.subject.name, reply, context) : reply
    return isOutcome(outcome) ? outcome : toActionFailed(call, "answered something else", outcome)
  } catch (cause) {
    return toActionFailed(call, "threw", cause)
  }
}

/** @returns Stops looking. */
function stopWhenHidden(
  call: ActiveCall,
  entry: ToolEntry,
  { run, host }: { readonly run: Supervision; readonly host: Host },
): () => void {
  const subscription = subscribeIn(host.ledger, call.view.settled, {
    next() {
      if (entry.current() === undefined && !isThere(call, entry)) run.stop("hidden")
    },
  })
  return () => subscription.unsubscribe()
}

/** Whether the action is still there, made anew by its author under the same identity. */
function isThere({ view, subject }: ActiveCall, { thing, key }: ToolEntry): boolean {
  const found = view.resolve(subject.name)
  return found.status === "available" && found.entry.thing === thing && found.entry.key === key
}

function isAsk(value: unknown): value is Ask {
  if (!isRecord(value) || value["ok"] !== "ask" || typeof value["resume"] !== "function") return false
  const { questions } = value
  return isRecord(questions) && Object.values(questions).every((each) => isRecord(each) && isRecord(each["schema"]))
}

function isOutcome(value: unknown): value is Outcome {
  if (!isRecord(value)) return false
  return value["ok"] === true || (value["ok"] === false && typeof value["message"] === "string")
}

/** Where a call stands once its action runs. */
export type RunPhase = "running" | "stopping" | "stuck"

/** One run of an action, and what it is held to. */
export interface SupervisedRun {
  /** The tool name, for messages. */
  readonly name: string
  /** The action; must not reject. */
  readonly execute: (stop: StopSource, progress: (progress: Progress) => void) => Promise<Reply>
  /** The caller's own signal. */
  readonly signal: Abortable
  /** Reaches the caller with progress; absent where it did not ask. */
  readonly send?: ((progress: Progress) => void) | undefined
  /** How long this action may run, in milliseconds. */
  readonly timeout: number
  /** The other limits. */
  readonly limits: Pick<CallLimits, "graceMs" | "idleMs" | "heartbeatMs">
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** Told when the phase changes. */
  readonly onPhase: (phase: RunPhase) => void
  /** Told when the action itself has ended, or asks; `late` when its call was answered before. */
  readonly onEnd: (late: boolean) => void
  /** Told what a listener of its signal throws. */
  readonly onThrown: (cause: unknown) => void
  /** Told of a question that comes when the call is answered, or was to stop. */
  readonly onUnheard: (ask: Ask) => void
}

/** A run that can be told to stop from outside. */
export interface Supervision extends Stoppable {
  /** What the call is answered with. Settles exactly once, and never rejects. */
  readonly outcome: Promise<Reply>
}

/**
 * Runs an action and holds it to its limits: running → (told to stop → acknowledged, or given up on) → answered.
 *
 * An action that is told to stop may still succeed within the grace, and then that is the answer; a failure of it is
 * answered as the stop it was. After the grace the call is answered, and the action is stuck until it ends by itself.
 */
export function supervise(run: SupervisedRun): Supervision {
  const { name, limits, timeout, onPhase } = run
  const own = createStopSource((signal) => guardListeners(signal, run.onThrown))
  const timers = createTimers(run)
  const { send } = run
  const line = send && createProgressLine({ ...run, send })
  let cause: StopCause | undefined
  let answered = false
  const { promise: outcome, resolve } = createDeferred<Reply>()
  const answer = (settled: Reply): void => {
    if (answered) return
    answered = true
    timers.clear()
    line?.close()
    run.signal.removeEventListener("abort", onAbort)
    resolve(settled)
  }
  const stopped = (why: StopCause): Outcome => toStopped(name, why, why === "idle" ? limits.idleMs : timeout)

  const stop = (why: StopCause): void => {
    if (cause !== undefined || answered) return
    cause = why
    onPhase("stopping")
    timers.clear()
    timers.set("grace", limits.graceMs, () => {
      onPhase("stuck")
      answer(stopped(why))
    })
    own.abort(new DOMException(`stopped: ${why}`, "AbortError"))
  }
  const onAbort = (): void => stop(causeOf(run.signal))
  const beat = (): void => {
    line?.beat()
    timers.set("heartbeat", limits.heartbeatMs, beat)
  }
  const report = (progress: Progress): void => {
    line?.report(progress)
    if (cause === undefined && !answered && limits.idleMs < Number.POSITIVE_INFINITY)
      timers.set("idle", limits.idleMs, () => stop("idle"))
  }

  run.signal.addEventListener("abort", onAbort)
  timers.set("timeout", timeout, () => stop("timeout"))
  if (run.send !== undefined) timers.set("heartbeat", limits.heartbeatMs, beat)
  void run.execute(own, report).then((settled) => {
    run.onEnd(answered)
    if (settled.ok === "ask" && (answered || cause !== undefined)) run.onUnheard(settled)
    answer(cause !== undefined && settled.ok !== true ? stopped(cause) : settled)
  })
  if (run.signal.aborted) onAbort()
  return { outcome, stop }
}

const TIMERS = ["timeout", "idle", "grace", "heartbeat"] as const

type TimerName = (typeof TIMERS)[number]

/** Timers by name: setting one again restarts it. */
interface Timers {
  set(name: TimerName, milliseconds: number, callback: () => void): void
  clear(): void
}

function createTimers({ host }: Pick<SupervisedRun, "host">): Timers {
  const running: Partial<Record<TimerName, Cancel | undefined>> = {}
  const cancel = (name: TimerName): void => {
    running[name]?.()
    running[name] = undefined
  }
  return {
    set(name, milliseconds, callback) {
      cancel(name)
      running[name] = startTimer(host, milliseconds, () => {
        running[name] = undefined
        callback()
      })
    },
    clear() {
      for (const name of TIMERS) cancel(name)
    },
  }
}
