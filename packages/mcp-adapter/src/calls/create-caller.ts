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
import { checkInput } from "./check-input.js"
import { toNotAvailable } from "./not-available.js"
import { runAction } from "./run-action.js"

/** Calls an action by name in one view. Never rejects; answers exactly once. */
export type Call = (name: string, args: Arguments, context: CallContext) => Promise<CallAnswer>

/** What a caller needs of its surroundings. */
export interface CallerOptions {
  /** Told when a call starts and settles, and what an operator should know of it. */
  readonly emit: Emit
  /** Holds one `call` for each call that has not settled. */
  readonly ledger: Ledger
  /** Measures how long calls take. */
  readonly clock: Clock
  /** Makes the id a call is known by in events and in messages that hide their cause. */
  readonly newId: () => string
}

/** The one path every call takes, whoever asks and over whatever: look up, check, run; each stage a file beside this. */
export function createCaller(options: CallerOptions): (view: View) => Call {
  return (view) => async (name, args, context) => {
    await view.ready
    const revision = view.revision()
    const resolution = view.resolve(name)
    if (resolution.status === "unknown") return { kind: "unknown", name }
    const call = { view, subject: toSubject(name, context, options), args, context, emit: options.emit }
    const settled = await follow(call, options, () => settle(call, resolution))
    return { kind: "settled", ...settled, revision }
  }
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

async function settle(call: ActiveCall, resolution: Exclude<Resolution, { status: "unknown" }>): Promise<Settled> {
  if (resolution.status === "unavailable") return { outcome: toNotAvailable(call, resolution) }
  const { action, entry } = resolution
  const checked = await checkInput(call, resolution)
  if (!checked.ok) return { outcome: checked.failure, entry }
  if (action.confirm !== undefined || action.ask !== undefined) return { outcome: unconfirmed(call), entry }
  // The check may have taken its time: the condition, or the caller, can be gone by now.
  const again = call.view.resolve(call.subject.name)
  if (again.status !== "available") return { outcome: toNotAvailable(call, again) }
  if (call.context.signal.aborted) return { outcome: aborted(call), entry }
  return { outcome: await runAction(call, action, checked.input), entry }
}

function aborted({ subject }: ActiveCall): Outcome {
  return { ok: false, code: "aborted", message: `action "${subject.name}" was aborted by its caller` }
}

function unconfirmed({ subject }: ActiveCall): Outcome {
  return {
    ok: false,
    code: "confirmation_unavailable",
    message: `action "${subject.name}" asks a person before it runs, and nobody can be asked here`,
    recovery: "ask the person to do it in the application",
  }
}
