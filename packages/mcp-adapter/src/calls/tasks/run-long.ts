import type { Reply } from "@x/agentic-service"
import { createStopSource, type StopSource } from "@x/agentic-service/adapter"
import { createDeferred } from "@x/base"
import type { Host } from "../../runtime/host.js"
import { startTimer } from "../../runtime/host.js"
import type { ActiveCall, HandedCall, HandOver } from "../active-call.js"
import { type Runnable, type RunSite, runCall } from "../run-call.js"
import type { LongRun, LongRunOptions } from "./long-run.js"
import { createProgressNote, type ProgressNote } from "./task-progress.js"
import type { KeptTask } from "./task-store.js"

/** The environment of a long action's run. */
export interface RunLongSite {
  /** The environment of a run. */
  readonly runSite: RunSite
  /** Milliseconds that the action may take, from the call or its hand-over. */
  readonly ttlMs: number
  /** Stores a task. Resolves to `undefined` if that fails. */
  readonly keep: (note: ProgressNote) => Promise<KeptTask | undefined>
  /** Follows a call that is handed over. */
  readonly follow: (options: Omit<LongRunOptions, "onAsked" | "host">) => LongRun
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}

/** Runs a long action, and hands the call over if the action takes longer than the caller waits. */
export async function runLong(call: ActiveCall, given: Runnable, site: RunLongSite): Promise<Reply | HandedCall> {
  const { entry, answers, run } = given
  const runnable: Runnable = { entry, action: withLife(given.action, site.ttlMs), answers, run }
  const handOver = call.handOver?.(call.context)
  return handOver === undefined
    ? runCall(call, runnable, site.runSite)
    : runPatiently({ call, handOver, runnable }, site)
}

/** Only its time to live limits a long action without limits of its own. */
function withLife({ timeoutMs, idleMs }: Runnable["action"], ttlMs: number): Runnable["action"] {
  return {
    timeoutMs: timeoutMs ?? Math.min(ttlMs, LONGEST_TIMER),
    idleMs: idleMs ?? Number.POSITIVE_INFINITY,
  }
}

const LONGEST_TIMER = 2 ** 31 - 1

/** A call that may be handed over. */
interface PatientCall {
  readonly call: ActiveCall
  readonly handOver: HandOver
  readonly runnable: Runnable
}

async function runPatiently(
  { call, handOver, runnable }: PatientCall,
  { host, runSite, keep, follow }: RunLongSite,
): Promise<Reply | HandedCall> {
  const note = createProgressNote()
  const { notes } = note
  const { own, letGo } = detach(call)
  const start = ({ entry, action, answers, run }: Runnable): Promise<Reply> =>
    runCall(own, { entry, action, answers, run, notes }, runSite)
  const wait = Math.max(0, call.startedAt + handOver.afterMs - host.clock.now())
  // Nothing may come between the last look at the action and its start.
  const reply = start(runnable)
  let settled = false
  void reply.then(() => {
    settled = true
  })
  // A client without tasks prefers the result to a handle.
  const early = handOver.announced ? [reply] : [reply, note.takesLong]
  if (wait > 0) await untilLate(early, wait, host)
  const kept = settled && wait > 0 ? undefined : await inTime(keep(note), wait > 0 ? reply : undefined, { call, host })
  if (kept !== undefined && !call.stop.aborted && !(settled && wait > 0)) {
    letGo()
    const run = follow({ call: own, handOver, runnable, kept, reply, start, note })
    return { kind: "handed", task: run.task(), entry: runnable.entry, ended: run.ended }
  }
  if (kept !== undefined) drop(kept, host)
  return reply.finally(letGo)
}

/**
 * Resolves with the stored task, or `undefined` if that failed, takes too long, or the action has ended meanwhile. A task that
 * is stored later is removed.
 *
 * @param ending - The reply that makes the task superfluous; absent if every call gets a task.
 */
async function inTime(
  keeping: Promise<KeptTask | undefined>,
  ending: Promise<unknown> | undefined,
  { call, host }: Pick<RunLongSite, "host"> & { readonly call: ActiveCall },
): Promise<KeptTask | undefined> {
  const given = createDeferred<undefined>()
  const cancel = startTimer(host, STORE_PATIENCE, () => {
    const message = `the task of a call of "${call.subject.name}" was not stored within ${STORE_PATIENCE / 1_000} s, so the call is answered at its end`
    host.report({ code: "records_unavailable", message }, call.view.id)
    given.resolve(undefined)
  })
  void ending?.then(() => given.resolve(undefined))
  const kept = await Promise.race([keeping, given.promise])
  cancel()
  if (kept === undefined) void keeping.then((late) => late && drop(late, host))
  return kept
}

/** Milliseconds that a store may take for a task, so that the call is answered before its client gives up. */
const STORE_PATIENCE = 10_000

/** Removes a task that nobody was told of. */
function drop(kept: KeptTask, host: Host): void {
  kept.remove().catch((cause: unknown) => {
    host.report({ code: "records_unavailable", message: "a task that was not needed cannot be removed", cause })
  })
}

/** Gives a call a signal of its own, which follows the caller's until the call lets go of its request. */
function detach(call: ActiveCall): {
  readonly own: ActiveCall & { readonly stop: StopSource }
  readonly letGo: () => void
} {
  const stop = createStopSource()
  const follow = (): void => stop.abort(call.stop.reason)
  call.stop.addEventListener("abort", follow)
  if (call.stop.aborted) follow()
  return {
    own: Object.assign({}, call, { stop }),
    letGo: () => call.stop.removeEventListener("abort", follow),
  }
}

/** Resolves with the first of these, or after a time. */
async function untilLate(early: readonly Promise<unknown>[], milliseconds: number, host: Host): Promise<void> {
  let cancel = (): void => undefined
  const late = new Promise<void>((resolve) => {
    cancel = startTimer(host, milliseconds, resolve)
  })
  await Promise.race([...early, late])
  cancel()
}
