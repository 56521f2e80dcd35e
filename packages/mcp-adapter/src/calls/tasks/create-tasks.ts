import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Reply } from "@x/agentic-service"
import { toMessage } from "@x/base"
import type { ToolEntry } from "../../catalogue/entry.js"
import type { Host } from "../../runtime/host.js"
import { ownerKey } from "../../views/principal-key.js"
import type { ActiveCall, HandedCall } from "../active-call.js"
import { findLacking, type ScopesOf } from "../call-subject.js"
import type { Runnable, RunSite } from "../run-call.js"
import { toUnstored } from "./end-of-task.js"
import { createLongRun, type LongRun, type LongRunOptions } from "./long-run.js"
import { runLong } from "./run-long.js"
import { type Task, type TaskCaller, type TaskRecord, type TaskStatus, toTask } from "./task.js"
import { createTaskNews, type TaskNews } from "./task-news.js"
import { LONGEST_LIFE, type TaskOptions } from "./task-options.js"
import type { ProgressNote } from "./task-progress.js"
import { createTaskStore, type KeptTask, type TaskStore } from "./task-store.js"

/** The calls that outlast their requests. */
export interface Tasks {
  /** The options. */
  readonly options: TaskOptions
  /**
   * Returns a caller's own task; `undefined` for an unknown id and for another caller's task.
   *
   * @throws RecordError if the store cannot be reached.
   */
  find(id: string, caller: TaskCaller): Promise<Task | undefined>
  /**
   * Passes answers to the open questions of a task that {@link Tasks.find} returned.
   *
   * @throws RecordError if another process runs it, and the store cannot be written.
   */
  answer(id: string, responses: Readonly<Record<string, unknown>>): Promise<void>
  /** Stops a task that {@link Tasks.find} returned. */
  cancel(id: string): Promise<void>
  /** Tells of each change of a task that {@link Tasks.find} returned, until the returned function is called. */
  watch(id: string, tell: (task: Task) => void): () => void
  /** The ends and questions of tasks that their callers have not heard of. */
  readonly news: Pick<TaskNews, "count" | "take" | "heard">
  /** Stops all tasks. */
  close(): void
}

/** The calls that outlast their requests, for the call path. */
export interface TaskRunner extends Tasks {
  /**
   * Runs a long action. Answers `handed` if it takes longer than its caller waits and its task is stored; the action continues
   * then. Otherwise returns its reply.
   */
  run(call: ActiveCall, runnable: Runnable, site: RunSite): Promise<Reply | HandedCall>
}

/** The environment of tasks. */
export interface TasksSite {
  /** The options. */
  readonly options: TaskOptions
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** Returns the scopes that an action requires. Default: none. */
  readonly scopes: ScopesOf | undefined
}

/** Creates the calls that outlast their requests. */
export function createTasks(site: TasksSite): TaskRunner {
  const { options, host } = site
  const store = createTaskStore(options, host)
  const running = new Map<string, { readonly run: LongRun; readonly kept: KeptTask }>()
  const news = createTaskNews()
  const follow = createFollow(site, { store, running, news })
  return {
    options,
    run: (call, runnable, runSite) => {
      const ttlMs = lifeOf(runnable.entry, options)
      const keep = (note: ProgressNote): Promise<KeptTask | undefined> =>
        keepTask(call, note, { site, store, ttlMs, entry: runnable.entry })
      const followIt = (long: Omit<LongRunOptions, "onAsked" | "host">): LongRun =>
        follow.begin(long, runSite.calls.begin())
      return runLong(call, runnable, { runSite, ttlMs, keep, follow: followIt, host })
    },
    async find(id, caller) {
      const live = running.get(id)
      const stored = live?.kept.stored ?? (await store.read(id))
      if (stored === undefined || !isOf(stored.value, caller)) return undefined
      return live === undefined ? toTask(stored) : live.run.task()
    },
    answer: (id, responses) => running.get(id)?.run.answer(responses) ?? store.answer(id, responses),
    async cancel(id) {
      const live = running.get(id)
      if (live === undefined) await store.stop(id)
      else live.run.stop("cancelled")
    },
    watch: (id, tell) => store.watch(id, (stored) => tell(toTask(stored))),
    news,
    close: follow.close,
  }
}

/** Returns how long the task of an action lives. */
function lifeOf(entry: ToolEntry, { ttlMs }: TaskOptions): number {
  const long = entry.current()?.long
  return Math.min((typeof long === "object" ? long.ttlMs : undefined) ?? ttlMs, LONGEST_LIFE)
}

interface Keeping {
  readonly site: Pick<TasksSite, "scopes" | "host">
  readonly store: TaskStore
  readonly ttlMs: number
  readonly entry: ToolEntry
}

/** Stores the task of a call. Reports a failure. */
async function keepTask(
  { context, subject, view }: ActiveCall,
  note: ProgressNote,
  { site: { scopes, host }, store, ttlMs, entry }: Keeping,
): Promise<KeptTask | undefined> {
  const { principal, client } = context
  const message = note.words()
  const record = {
    tool: subject.name,
    principal: principal === undefined ? "" : digest(ownerKey(principal)),
    scopes: [...(scopes?.(entry) ?? [])],
    status: "working" as const,
    ...(message !== undefined && { message }),
  }
  try {
    return await store.create(record, {
      owner: digest(principal === undefined ? `client:${client}` : ownerKey(principal)),
      ttlMs,
    })
  } catch (cause) {
    const reason = `a call of "${entry.name}" cannot be handed over, so it is answered at its end: ${toMessage(cause)}`
    host.report({ code: "records_unavailable", message: reason, cause }, view.id)
    return undefined
  }
}

/** Whether a task is a caller's own, and the caller holds the scopes that the action required. */
function isOf({ principal, scopes }: Pick<TaskRecord, "principal" | "scopes">, caller: TaskCaller): boolean {
  const own = caller.principal === undefined ? "" : digest(ownerKey(caller.principal))
  return own === principal && findLacking(scopes, caller.principal).length === 0
}

/** Hashes the key of an owner: records then have a fixed length, and show no ids. */
function digest(owner: string): string {
  const known = digests.get(owner)
  if (known !== undefined) return known
  const made = bytesToHex(sha256(utf8ToBytes(owner)))
  if (digests.size >= MOST_DIGESTS) digests.clear()
  digests.set(owner, made)
  return made
}

/** The digests of the latest owners: a hash costs as much as the rest of a write in memory. */
const digests = new Map<string, string>()
const MOST_DIGESTS = 1_000

/** Passes on what other processes wrote to a task. */
function hear({ stop, given }: TaskRecord, run: LongRun, host: Host): void {
  if (stop) run.stop("cancelled")
  if (given === undefined) return
  run.answer(given).catch((cause: unknown) => host.report(toUnstored(cause)))
}

interface Following {
  readonly store: TaskStore
  readonly running: Map<string, { readonly run: LongRun; readonly kept: KeptTask }>
  readonly news: TaskNews
}

/** Creates the function that follows a call that was handed over, and keeps what it needs until its end is stored. */
function createFollow({ host, options }: TasksSite, { store, running, news }: Following) {
  let closed = false
  const begin = (long: Omit<LongRunOptions, "onAsked" | "host">, answered: () => void): LongRun => {
    const { call, handOver, kept, runnable } = long
    const { key: id, value } = kept.stored
    const tell = (status: TaskStatus): void => {
      if (handOver.announced && !closed) news.add({ id, tool: value.tool, status, of: call.context })
    }
    const run = createLongRun(Object.assign({}, long, { onAsked: () => tell("input_required"), host }))
    running.set(id, { run, kept })
    const releases = [store.hold(), host.ledger.open("task"), answered]
    // Without a shared store, nobody else can ask for a stop, or answer.
    if (options.records !== undefined) releases.push(store.watch(id, ({ value }) => hear(value, run, host)))
    void run.ended.then((outcome) => {
      const { subject, args, startedAt, emit } = call
      emit({
        type: "call-settled",
        ...subject,
        args,
        entry: runnable.entry,
        outcome,
        duration: host.clock.now() - startedAt,
      })
    })
    void run.over.then(() => {
      running.delete(id)
      tell(run.task().status)
      for (const release of releases) release()
    })
    if (closed) run.stop("closing")
    return run
  }
  return {
    begin,
    close() {
      closed = true
      for (const { run } of running.values()) run.stop("closing")
    },
  }
}
