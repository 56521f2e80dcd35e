import type { SettledCall } from "../../calls/call-answer.js"
import type { ToolEntry } from "../../catalogue/entry.js"
import { type WaitSite, waitUntil } from "../../catalogue/wait-until.js"
import type { StateMode } from "../../exposures/state-mode.js"
import type { CatchUpOptions, SettleOptions } from "./catch-up-options.js"
import type { Patience } from "./patience.js"
import { hasChanged } from "./shown-diff.js"

/** What decides how long a call that is over waits for the application. */
export interface AwaitOptions extends WaitSite {
  /** How states reach the client: what it is not shown, it does not wait for. */
  readonly states: StateMode
  /** How long it waits for a first change. */
  readonly catchUp: CatchUpOptions | undefined
  /** How long it waits for the last. */
  readonly settle: SettleOptions | undefined
  /** Knows which actions to wait for. */
  readonly patience: Patience
}

/** Waits until what a call changed can be seen, within bounds; says what to tell of that. */
export async function awaitChanges(answer: SettledCall, options: AwaitOptions): Promise<readonly string[]> {
  const { entry } = answer
  if (entry === undefined || entry.definition.annotations.readOnlyHint === true) return []
  if (options.settle !== undefined) return awaitQuiet(options, options.settle)
  await awaitFirst(answer, entry, options)
  return []
}

async function awaitFirst({ outcome, revision }: SettledCall, entry: ToolEntry, options: AwaitOptions): Promise<void> {
  const { view, catchUp, patience, states } = options
  if (catchUp === undefined) return
  const look = (): true | undefined => hasChanged(view, revision, states) || undefined
  if (look()) return patience.learn(entry, "at once")
  if (!outcome.ok || catchUp.wait <= 0 || !patience.for(entry)) return
  const came = await waitUntil(options, catchUp.wait, look)
  if (!options.signal.aborted) patience.learn(entry, came ? "late" : "never")
}

/** Waits until nothing changes for a while, as far as the caller may see. */
async function awaitQuiet(options: AwaitOptions, settle: SettleOptions): Promise<readonly string[]> {
  const { view, clock, states, signal } = options
  const { quiet = 50, limit = 2_000 } = settle
  const end = clock.now() + limit
  while (!signal.aborted) {
    const left = end - clock.now()
    if (left <= 0) return [`the application was still changing ${limit} ms after the call`]
    const revision = view.revision()
    const look = (): true | undefined => hasChanged(view, revision, states) || undefined
    if (!(await waitUntil(options, Math.min(quiet, left), look)) && left >= quiet) return []
  }
  return []
}
