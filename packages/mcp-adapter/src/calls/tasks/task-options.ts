import type { OptionRule } from "@x/base"
import type { RecordStore } from "@x/records"

/** Options of calls that outlast their requests: the calls of actions that are `long`. */
export interface TaskOptions {
  /**
   * Milliseconds after which a long call of a client that declares tasks (`io.modelcontextprotocol/tasks`) is answered with a
   * task. With 0, every long call of such a client becomes one before it runs. Default 5,000.
   */
  readonly patienceMs: number
  /**
   * Milliseconds after which a long call of any other client is answered with a handle, for the tools `get_task` and
   * `cancel_task`. Default 45,000: clients give up after 60,000.
   */
  readonly wordsAfterMs: number
  /**
   * A task's time to live in milliseconds, unless its action has one. After it, the work is stopped and the result removed.
   * Default 3,600,000.
   */
  readonly ttlMs: number
  /**
   * Milliseconds after which the running tasks of a process that has died count as failed. Processes that share `records` need
   * clocks that agree within this time. Default 30,000.
   */
  readonly leaseMs: number
  /**
   * The store of tasks, such as that of `@x/records-libsql`, with which results outlive the process. The adapter does not close
   * it. Default: this process's memory.
   */
  readonly records?: RecordStore
  /** The limits of stored tasks. A call that would exceed one is not handed over: it is answered when it ends. */
  readonly limits?: Partial<TaskLimits>
}

/** How many tasks are stored, and how large. Bytes count stored results as JSON. */
export interface TaskLimits {
  /** The most bytes of one result. A larger one is dropped, and the task says so. Default 1,048,576. */
  readonly resultBytes: number
  /** The most tasks of one caller. Default 1,000. */
  readonly callerTasks: number
  /** The most bytes of one caller's tasks. Default 16,777,216. */
  readonly callerBytes: number
  /** The most tasks in all. Default 10,000. */
  readonly tasks: number
  /** The most bytes in all. Default 268,435,456. */
  readonly bytes: number
}

/** The default options of tasks, without a store. */
export const defaultTaskOptions: TaskOptions = {
  patienceMs: 5_000,
  wordsAfterMs: 45_000,
  ttlMs: 3_600_000,
  leaseMs: 30_000,
}

/** The default limits of tasks. */
export const defaultTaskLimits: TaskLimits = {
  resultBytes: 1_048_576,
  callerTasks: 1_000,
  callerBytes: 16_777_216,
  tasks: 10_000,
  bytes: 268_435_456,
}

/** The longest life of a task, in milliseconds: 30 days. */
export const LONGEST_LIFE = 2_592_000_000

const SOME = { from: 1, whole: true } as const

/** The rules for options of tasks. */
export const taskRules: Record<keyof TaskOptions, OptionRule> = {
  patienceMs: { from: 0 },
  wordsAfterMs: { from: 0 },
  ttlMs: { from: 1, to: LONGEST_LIFE, whole: true },
  leaseMs: { from: 100, to: 600_000, whole: true },
  records: "object",
  limits: {
    options: { resultBytes: SOME, callerTasks: SOME, callerBytes: SOME, tasks: SOME, bytes: SOME },
  },
}
