import type { Action, Answers, ExecuteContext, Outcome } from "@x/agentic-service"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Clock } from "../runtime/clock.js"
import { type Ledger, subscribeIn } from "../runtime/ledger.js"
import { toActionFailed } from "./action-failed.js"
import type { ActiveCall } from "./active-call.js"
import type { CallLimits } from "./call-limits.js"
import type { OpenCalls } from "./open-calls.js"
import { type Supervision, supervise } from "./supervise.js"

/** What a run needs of its surroundings. */
export interface RunSite {
  /** What it is held to. */
  readonly limits: CallLimits
  /** Time. */
  readonly clock: Clock
  /** Holds a `stuck` for each action that goes on after its call was answered. */
  readonly ledger: Ledger
  /** Knows what runs, and tells it when all is to end. */
  readonly calls: OpenCalls
}

/** An action that was found, and its checked input. */
export interface Runnable {
  /** The entry it was called by. */
  readonly entry: ToolEntry
  /** The action. */
  readonly action: Action
  /** What it takes. */
  readonly input: unknown
  /** What the person answered; empty where nobody had to be asked. */
  readonly answers: Answers
}

/** Runs the action on checked input, for as long as its limits allow. Never rejects. */
export async function runAction(call: ActiveCall, runnable: Runnable, site: RunSite): Promise<Outcome> {
  const { context, subject } = call
  const { limits, clock, ledger } = site
  let closeStuck: (() => void) | undefined
  const run = supervise({
    name: subject.name,
    execute: (signal, progress) => execute(call, runnable, { signal, progress }),
    signal: context.signal,
    send: context.progress,
    timeout: runnable.action.timeout ?? limits.timeout,
    limits,
    clock,
    ledger,
    onPhase(phase) {
      if (phase !== "stuck") return
      closeStuck = ledger.open("stuck")
      call.emit({ type: "call-stuck", ...subject, entry: runnable.entry })
    },
    onEnd(late) {
      closeStuck?.()
      if (late) call.emit({ type: "call-late", ...subject, entry: runnable.entry })
    },
  })
  const forget = limits.hidden === "abort" ? stopWhenHidden(call, runnable.entry, { run, ledger }) : () => {}
  const ended = site.calls.running(run)
  return run.outcome.finally(() => {
    ended()
    forget()
  })
}

/** The action itself, kept to its contract: it answers with an outcome, whatever a service written by hand does. */
async function execute(
  call: ActiveCall,
  { action, input, answers }: Runnable,
  line: Pick<ExecuteContext, "signal" | "progress">,
): Promise<Outcome> {
  const { principal } = call.context
  const context: ExecuteContext = {
    ...line,
    answers,
    confirmed: true,
    ...(principal && { principal }),
  }
  try {
    const outcome: unknown = await action.execute(input, context)
    return isOutcome(outcome) ? outcome : toActionFailed(call, "answered something else", outcome)
  } catch (cause) {
    return toActionFailed(call, "threw", cause)
  }
}

/** @returns Stops looking. */
function stopWhenHidden(
  { view }: ActiveCall,
  entry: ToolEntry,
  { run, ledger }: { readonly run: Supervision; readonly ledger: Ledger },
): () => void {
  const subscription = subscribeIn(ledger, view.settled, {
    next() {
      if (entry.current() === undefined) run.stop("hidden")
    },
  })
  return () => subscription.unsubscribe()
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== "object" || value === null || !("ok" in value)) return false
  return value.ok === true || (value.ok === false && "message" in value && typeof value.message === "string")
}
