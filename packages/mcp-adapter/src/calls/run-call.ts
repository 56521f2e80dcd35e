import type { Action, Answers, Ask, ExecuteContext, Outcome, Progress, Reply } from "@x/agentic-service"
import {
  type Abortable,
  createStopSource,
  guardListeners,
  type StopSource,
  toOutcome,
  withStop,
} from "@x/agentic-service/adapter"
import { createDeferred, isRecord } from "@x/base"
import type { ToolEntry } from "../catalogue/entry.js"
import { type Cancel, type Host, startTimer, subscribeIn } from "../runtime/host.js"
import type { ActiveCall, OpenCalls, StopCause, Stoppable } from "./active-call.js"
import type { CallLimits } from "./call-limits.js"
import { askableOf } from "./client-requests.js"
import { type AskMidway, giveUpAsking } from "./consent/ask-midway.js"
import { causeOf, toActionFailed, toStopped } from "./failures.js"
import { createProgressLine } from "./progress-line.js"

/** The context of a run. */
export interface RunSite {
  /** The limits of the run. */
  readonly limits: CallLimits
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** The registry of open calls, which stops runs on close. */
  readonly calls: OpenCalls
  /** Puts the questions of running actions. */
  readonly midway: AskMidway
}

/** An action to start, or to resume after its question. */
export interface Runnable {
  /** The called entry. */
  readonly entry: ToolEntry
  /** The action's own limits, which win. */
  readonly action: { readonly [Limit in "timeoutMs" | "idleMs" | "long"]?: Action[Limit] | undefined }
  /** The person's answers from before the run; empty if nobody was asked. */
  readonly answers: Answers
  /** Runs the action until it has an outcome or asks. */
  readonly run: (context: ExecuteContext) => Promise<unknown>
  /** Hears of a long action's progress, whether or not its caller listens. */
  readonly notes?: RunNotes | undefined
}

/** The functions that note what a long action says of itself. */
export interface RunNotes {
  /** Notes progress. */
  readonly progress: (progress: Progress) => void
  /** Notes that the action takes long. */
  readonly takesLong: () => void
}

/**
 * Runs the action within its limits, without the time that a person takes to answer. Returns a question only if that can be
 * put. Never rejects.
 */
export async function runCall(call: ActiveCall, runnable: Runnable, site: RunSite): Promise<Reply> {
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

/** Returns the idle limit: the author's own limits win over the default. */
function idleOf({ idleMs, timeoutMs }: Runnable["action"], limits: CallLimits): number {
  return idleMs ?? (timeoutMs === undefined ? limits.idleMs : Number.POSITIVE_INFINITY)
}

/** Runs the action and enforces its contract: it ends with an outcome or a question, even in a service written by hand. */
async function execute(
  call: ActiveCall,
  { run, answers, notes, entry: { thing } }: Runnable,
  {
    midway,
    stop,
    progress,
  }: Pick<ExecuteContext, "progress"> & Pick<RunSite, "midway"> & { readonly stop: StopSource },
): Promise<Reply> {
  const { principal, progress: heard, peer, meta, trace } = call.context
  const context: ExecuteContext = withStop(stop, {
    progress: notes === undefined ? progress : noted(notes, progress),
    thing,
    ...(notes === undefined ? heard === undefined && { unheard: true as const } : { takesLong: notes.takesLong }),
    answers,
    confirmed: true as const,
    ...(principal && { principal }),
    ...((meta ?? trace) && { meta: { ...meta, ...trace } }),
    ...(peer && { log: peer.log }),
    clientCapabilities: askableOf(call.context),
  })
  try {
    const reply = await run(context)
    if (isOutcome(reply)) return reply
    if (!isAsk(reply)) return toActionFailed(call, "answered something else", reply)
    if (midway.canPut(call, reply)) return reply
    // The question can reach nobody, so the action gets a cancellation and ends as it can.
    const outcome: unknown = await toOutcome(call.subject.name, reply, context)
    return isOutcome(outcome) ? outcome : toActionFailed(call, "answered something else", outcome)
  } catch (cause) {
    return toActionFailed(call, "threw", cause)
  }
}

/** Returns a function that notes progress, then reports it. */
function noted(notes: RunNotes, report: ExecuteContext["progress"]): ExecuteContext["progress"] {
  return (progress) => {
    notes.progress(progress)
    report(progress)
  }
}

/** @returns A function that stops watching. */
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

/** Checks whether the action still exists, or was recreated by its author with the same identity. */
function isThere({ view, subject }: ActiveCall, { thing, key }: ToolEntry): boolean {
  const found = view.resolve(subject.name)
  return found.status === "available" && found.entry.thing === thing && found.entry.key === key
}

function isAsk(value: unknown): value is Ask {
  if (!isRecord(value) || value["ok"] !== "ask" || typeof value["resume"] !== "function") return false
  const { questions, requests = {} } = value
  if (!isRecord(questions) || !isRecord(requests)) return false
  const areRequests = Object.values(requests).every((each) => isRecord(each) && typeof each["method"] === "string")
  return areRequests && Object.values(questions).every((each) => isRecord(each) && isRecord(each["schema"]))
}

function isOutcome(value: unknown): value is Outcome {
  if (!isRecord(value)) return false
  return value["ok"] === true || (value["ok"] === false && typeof value["message"] === "string")
}

/** The phases of a running action. */
export type RunPhase = "running" | "stopping" | "stuck"

/** An action's run and its limits. */
export interface SupervisedRun {
  /** The tool name, for messages. */
  readonly name: string
  /** Runs the action. Must not reject. */
  readonly execute: (stop: StopSource, progress: (progress: Progress) => void) => Promise<Reply>
  /** The caller's own signal. */
  readonly signal: Abortable
  /** Sends progress to the caller. Absent unless the caller requested it. */
  readonly send?: ((progress: Progress) => void) | undefined
  /** Milliseconds that this action may run. */
  readonly timeout: number
  /** The other limits. */
  readonly limits: Pick<CallLimits, "graceMs" | "idleMs" | "heartbeatMs">
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** Called when the phase changes. */
  readonly onPhase: (phase: RunPhase) => void
  /** Called when the action has ended or asks; `late` if its call was already answered. */
  readonly onEnd: (late: boolean) => void
  /** Called with errors thrown by listeners of the action's signal. */
  readonly onThrown: (cause: unknown) => void
  /** Called with a question that comes after the call was answered or told to stop. */
  readonly onUnheard: (ask: Ask) => void
}

/** A run that can be stopped from outside. */
export interface Supervision extends Stoppable {
  /** The answer of the call. Settles exactly once, and never rejects. */
  readonly outcome: Promise<Reply>
}

/**
 * Runs an action within its limits: running → (told to stop → acknowledged, or given up on) → answered.
 *
 * An action that is told to stop may still succeed within the grace period, which then counts as the answer. A failure is
 * answered with the stop's cause. After the grace period the call is answered, and the action is stuck until it ends.
 */
export function supervise(run: SupervisedRun): Supervision {
  const { name, limits, timeout, onPhase } = run
  const own = createStopSource((signal) => guardListeners(signal, run.onThrown))
  const { promise: outcome, resolve } = createDeferred<Reply>()
  const timers = createTimers(run)
  const { send } = run
  const line = send && createProgressLine({ ...run, send })
  let cause: StopCause | undefined
  let answered = false
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

/** Timers by name. Setting one again restarts it. */
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
