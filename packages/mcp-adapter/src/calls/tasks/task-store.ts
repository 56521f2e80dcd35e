import { type JsonValue, toJson, toMessage } from "@x/base"
import {
  createMemoryRecords,
  type RecordCollection,
  type RecordError,
  type RecordStore,
  type StoredRecord,
} from "@x/records"
import { type Cancel, type Host, startTimer } from "../../runtime/host.js"
import { isOver, type TaskRecord } from "./task.js"
import { defaultTaskLimits, LONGEST_LIFE, type TaskOptions } from "./task-options.js"

/** A stored task. */
export type StoredTask = StoredRecord<TaskRecord>

/** The parts of a task that change. */
export type TaskState = Pick<TaskRecord, "status" | "message" | "requests" | "end">

/** The tasks of all processes that share a store. */
export interface TaskStore {
  /**
   * Stores a new task of this process. Resolves once it is stored.
   *
   * @throws RecordError if it cannot be stored.
   */
  create(record: NewTask, options: { readonly owner: string; readonly ttlMs: number }): Promise<KeptTask>
  /**
   * Reads a task. If its process has died, marks the task as failed first, with its last progress.
   *
   * @throws RecordError if the store cannot be reached.
   */
  read(id: string): Promise<StoredTask | undefined>
  /** Asks the process that runs a task to stop it. */
  stop(id: string): Promise<void>
  /**
   * Passes answers to the process that runs a task. Drops answers to closed questions.
   *
   * @throws RecordError if they cannot be stored.
   */
  answer(id: string, responses: Readonly<Record<string, unknown>>): Promise<void>
  /** Tells of each change of a task, with its new record, until the returned function is called. */
  watch(id: string, tell: (task: StoredTask) => void): () => void
  /** Marks this process as alive until the returned function is called. */
  hold(): () => void
}

/** A task to store. */
export type NewTask = Pick<TaskRecord, "tool" | "principal" | "scopes"> & TaskState

/** A task that this process runs. */
export interface KeptTask {
  /** Its record as last written. */
  readonly stored: StoredTask
  /**
   * Replaces the task's state, after earlier writes. Returns `false` if the task is gone, or has ended in another process.
   *
   * @throws RecordError if it cannot be stored.
   */
  write(state: TaskState): Promise<boolean>
  /** Removes the task. */
  remove(): Promise<void>
}

/** Bytes of a record beside its result. */
const BESIDE = 65_536

/** Creates the tasks in a store. Nothing is opened before the first task. */
export function createTaskStore(options: TaskOptions, host: Host): TaskStore {
  const limits = { ...defaultTaskLimits, ...options.limits }
  const runner = crypto.randomUUID()
  let opened: { readonly tasks: RecordCollection<TaskRecord>; readonly lease: Lease } | undefined
  const open = () => {
    opened ??= openStore(options.records ?? createMemoryRecords())
    return opened
  }
  const openStore = (records: RecordStore) => ({
    tasks: records.collection<TaskRecord>({
      name: "tasks",
      ttlMs: LONGEST_LIFE,
      full: "refuse",
      limits: {
        recordBytes: limits.resultBytes + BESIDE,
        ownerRecords: limits.callerTasks,
        ownerBytes: limits.callerBytes,
        records: limits.tasks,
        bytes: limits.bytes,
      },
    }),
    lease: createLease(records, { leaseMs: options.leaseMs, runner, host }),
  })
  const watchers = createWatchers(() => open().tasks)
  return {
    async create(record, { owner, ttlMs }) {
      const { tasks, lease } = open()
      await lease.ensure()
      const whole: TaskRecord = Object.assign({}, record, { runner, changedAt: Date.now() })
      const stored = await tasks.create(newId(), whole, { owner, ttlMs })
      if (stored === undefined) throw new Error("two tasks got the same random id")
      return keep(tasks, stored)
    },
    async read(id) {
      if (!isId(id)) return undefined
      const { tasks, lease } = open()
      const stored = await tasks.read(id)
      if (stored === undefined || isOver(stored.value.status) || (await lease.isAlive(stored.value.runner)))
        return stored
      return (await tasks.update(id, toLost(stored.value), stored.revision)) ?? tasks.read(id)
    },
    stop: (id) => change(open().tasks, id, (task) => ({ ...task, stop: true })),
    answer: (id, responses) =>
      change(open().tasks, id, (task) => {
        const given = pick(responses, Object.keys(task.requests ?? {}))
        return Object.keys(given).length === 0 ? undefined : { ...task, given: { ...task.given, ...given } }
      }),
    watch: watchers.watch,
    hold: () => open().lease.hold(),
  }
}

/** How often a write that others overtake is tried again. */
const TRIES = 10

/** Changes a running task that another process writes too, unless there is nothing to change. */
async function change(
  tasks: RecordCollection<TaskRecord>,
  id: string,
  toNext: (task: TaskRecord) => TaskRecord | undefined,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = await tasks.read(id)
    const next = stored === undefined || isOver(stored.value.status) ? undefined : toNext(stored.value)
    if (stored === undefined || next === undefined) return
    if ((await tasks.update(id, next, stored.revision)) !== undefined) return
  }
}

/** Returns the members of these names, as JSON. */
function pick(members: Readonly<Record<string, unknown>>, names: readonly string[]): { [key: string]: JsonValue } {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(members, name) ? [[name, toJson(members[name])] as const] : [])),
  )
}

/** Marks a task whose process has died. */
function toLost({ stop: _stop, requests: _requests, given: _given, ...task }: TaskRecord): TaskRecord {
  const far = task.message === undefined ? "" : ` Its last progress was: ${task.message}`
  const message = `the process that ran "${task.tool}" has stopped, so it is unknown how much of the work was done.${far}`
  return { ...task, status: "failed", message, changedAt: Date.now(), end: { error: { code: -32603, message } } }
}

function keep(tasks: RecordCollection<TaskRecord>, first: StoredTask): KeptTask {
  let stored = first
  let writing: Promise<unknown> = Promise.resolve()
  const write = async (state: TaskState): Promise<boolean> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { tool, principal, scopes, runner, stop, given: before = {} } = stored.value
      // An answer is kept until its question is over.
      const given = pick(before, Object.keys(state.requests ?? {}))
      const next: TaskRecord = Object.assign({ tool, principal, scopes, runner, changedAt: Date.now() }, state, {
        ...(stop && { stop }),
        ...(Object.keys(given).length > 0 && { given }),
      })
      const written = await tasks.update(first.key, next, stored.revision)
      if (written !== undefined) {
        stored = written
        return true
      }
      const now = await tasks.read(first.key)
      if (now === undefined || isOver(now.value.status)) return false
      stored = now
    }
    return false
  }
  return {
    get stored() {
      return stored
    },
    write(state) {
      const written = writing.then(() => write(state))
      writing = written.catch(() => undefined)
      return written
    },
    async remove() {
      await tasks.remove(first.key)
    },
  }
}

/** The sign of life of this process for the others. */
interface Lease {
  /** Resolves once the others can see it. */
  ensure(): Promise<void>
  /** Keeps it visible until the returned function is called. */
  hold(): () => void
  /** Whether a process is alive. */
  isAlive(runner: string): Promise<boolean>
}

function createLease(
  records: RecordStore,
  { leaseMs, runner, host }: { readonly leaseMs: number; readonly runner: string; readonly host: Host },
): Lease {
  const runners = records.collection<JsonValue>({ name: "task-runners", ttlMs: leaseMs, renew: true, full: "refuse" })
  let renewedAt = Number.NEGATIVE_INFINITY
  let holders = 0
  let timer: Cancel | undefined
  const renew = async (): Promise<void> => {
    const at = host.clock.now()
    const held = await runners.read(runner)
    if (held === undefined) await runners.create(runner, 1)
    else await runners.update(runner, 1, held.revision)
    renewedAt = at
  }
  const beat = (): void => {
    timer = startTimer(host, leaseMs / 3, () => {
      beat()
      renew().catch((cause: unknown) => {
        const message = `the record store cannot be told that this process runs tasks: ${toMessage(cause)}`
        host.report({ code: "records_unavailable", message, cause })
      })
    })
  }
  return {
    async ensure() {
      if (host.clock.now() - renewedAt > leaseMs / 3) await renew()
    },
    hold() {
      holders += 1
      if (holders === 1) beat()
      return () => {
        holders -= 1
        if (holders > 0) return
        timer?.()
        timer = undefined
      }
    },
    isAlive: async (other) => other === runner || (await runners.read(other)) !== undefined,
  }
}

/** Shares one watch of the collection among the watchers of its tasks. */
function createWatchers(tasks: () => RecordCollection<TaskRecord>): Pick<TaskStore, "watch"> {
  const watchers = new Map<string, Set<(task: StoredTask) => void>>()
  let stop: (() => void) | undefined
  return {
    watch(id, tell) {
      const told = watchers.get(id) ?? new Set()
      watchers.set(id, told)
      // A function of its own, so that a watcher added twice is kept twice.
      const own = (task: StoredTask): void => tell(task)
      told.add(own)
      stop ??= tasks().watch(({ key, record }) => {
        if (record !== undefined) for (const each of [...(watchers.get(key) ?? [])]) each(record)
      })
      return () => {
        told.delete(own)
        if (told.size === 0 && watchers.get(id) === told) watchers.delete(id)
        if (watchers.size > 0) return
        stop?.()
        stop = undefined
      }
    },
  }
}

/** Creates an id of 244 random bits. Two UUIDs cost a tenth of random bytes. */
function newId(): string {
  return `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "")
}

function isId(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id)
}

/** Whether a store refused a write because of its size. */
export function isTooMuch(cause: unknown): cause is RecordError {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined
  return code === "too_large" || code === "full"
}
