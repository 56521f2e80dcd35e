import type { Outcome } from "@x/agentic-service"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Resolution, View } from "../catalogue/view.js"
import type { Clock } from "../runtime/clock.js"
import type { Ledger } from "../runtime/ledger.js"
import { toActionFailed } from "./action-failed.js"
import type { ActiveCall, Arguments } from "./active-call.js"
import type { CallSubject, Emit } from "./adapter-event.js"
import type { CallAnswer } from "./call-answer.js"
import type { CallContext } from "./call-context.js"
import type { CallLimits } from "./call-limits.js"
import { checkInput } from "./check-input.js"
import { toNotAvailable } from "./not-available.js"
import { type RunSite, runAction } from "./run-action.js"
import { toStopped } from "./stop.js"
import { createTurns, type Turns } from "./take-turns.js"

/** Calls an action by name in one view. Never rejects; answers exactly once. */
export type Call = (name: string, args: Arguments, context: CallContext) => Promise<CallAnswer>

/** What a caller needs of its surroundings. */
export interface CallerOptions {
  /** Told when a call starts and settles, and what an operator should know of it. */
  readonly emit: Emit
  /** Holds one `call` for each call that has not settled. */
  readonly ledger: Ledger
  /** Measures how long calls take, and ends them. */
  readonly clock: Clock
  /** How long calls may take, and how many may run. */
  readonly limits: CallLimits
  /** Makes the id a call is known by in events and in messages that hide their cause. */
  readonly newId: () => string
}

/** The one path every call takes. */
export interface CallPath {
  /** Calls in one view. */
  within(view: View): Call
  /** How many calls wait for their turn. */
  waiting(): number
}

/**
 * The one path every call takes, whoever asks and over whatever: look up, check, wait for a turn, run; each stage a file
 * beside this.
 */
export function createCaller(options: CallerOptions): CallPath {
  const turns = createTurns(options.limits)
  const within =
    (view: View): Call =>
    async (name, args, context) => {
      await view.ready
      const revision = view.revision()
      const resolution = view.resolve(name)
      if (resolution.status === "unknown") return { kind: "unknown", name }
      const call = { view, subject: toSubject(name, context, options), args, context, emit: options.emit }
      const settled = await follow(call, options, () => settle(call, resolution, { ...options, turns }))
      return { kind: "settled", ...settled, revision }
    }
  return { within, waiting: turns.waiting }
}

/** What a call comes to: its outcome, and the entry where there was one to call. */
type Settled = { readonly outcome: Outcome; readonly entry?: ToolEntry }

function toSubject(name: string, { client, principal }: CallContext, { newId }: CallerOptions): CallSubject {
  return { id: newId(), name, client, ...(principal && { principal }) }
}

/** Holds the call in the ledger and tells its start and end, whatever happens in between. */
async function follow(call: ActiveCall, options: CallerOptions, run: () => Promise<Settled>): Promise<Settled> {
  const { clock, emit, ledger } = options
  const closed = ledger.open("call")
  const startedAt = clock.now()
  emit({ type: "call-started", ...call.subject })
  // `check` and `execute` never throw by contract, but a service written by hand may not keep it.
  const settled = await run().catch((cause: unknown) => ({ outcome: toActionFailed(call, "threw", cause) }))
  closed()
  emit({ type: "call-settled", ...call.subject, ...settled, duration: clock.now() - startedAt })
  return settled
}

async function settle(
  call: ActiveCall,
  resolution: Exclude<Resolution, { status: "unknown" }>,
  site: RunSite & { readonly turns: Turns },
): Promise<Settled> {
  if (resolution.status === "unavailable") return { outcome: toNotAvailable(call, resolution) }
  const { action, entry } = resolution
  if (call.context.signal.aborted) return { outcome: toStopped(call.subject.name, "caller", 0), entry }
  const checked = await checkInput(call, resolution)
  if (!checked.ok) return { outcome: checked.failure, entry }
  if (action.confirm !== undefined || action.ask !== undefined) return { outcome: unconfirmed(call), entry }
  const turn = await site.turns.take(call, entry, action)
  if (typeof turn !== "function") return { outcome: turn, entry }
  try {
    // The check and the wait may have taken their time: the condition, or the caller, can be gone by now.
    const again = call.view.resolve(call.subject.name)
    if (again.status !== "available") return { outcome: toNotAvailable(call, again) }
    if (call.context.signal.aborted) return { outcome: toStopped(call.subject.name, "caller", 0), entry }
    const still = again.action === action ? checked : await checkInput(call, again)
    if (!still.ok) return { outcome: still.failure, entry }
    return { outcome: await runAction(call, { ...again, input: still.input }, site), entry }
  } finally {
    turn()
  }
}

function unconfirmed({ subject }: ActiveCall): Outcome {
  return {
    ok: false,
    code: "confirmation_unavailable",
    message: `action "${subject.name}" asks a person before it runs, and nobody can be asked here`,
    recovery: "ask the person to do it in the application",
  }
}
