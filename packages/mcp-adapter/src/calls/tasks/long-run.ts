import type { Outcome, Reply } from "@x/agentic-service"
import type { StopSource } from "@x/agentic-service/adapter"
import { createDeferred } from "@x/base"
import { type Cancel, type Host, startTimer } from "../../runtime/host.js"
import type { ActiveCall, HandOver } from "../active-call.js"
import { nameSubject } from "../consent/question-form.js"
import type { Runnable } from "../run-call.js"
import { createEndWriter, type TaskStop, toFinalState, toUnstored } from "./end-of-task.js"
import { isOver, type Task, toTask } from "./task.js"
import { createProgressWriter, type ProgressNote } from "./task-progress.js"
import { createTaskQuestions, type TaskQuestions } from "./task-questions.js"
import type { KeptTask, TaskState } from "./task-store.js"

/** A call that was handed over, from then until its end is stored. */
export interface LongRun {
  /** Returns its task as of now. */
  task(): Task
  /** Tells it to stop. Only the first reason counts. */
  stop(reason: TaskStop): void
  /** Takes answers to its open questions. */
  answer(responses: Readonly<Record<string, unknown>>): Promise<void>
  /** Resolves when the action has ended, at the latest when it is given up on. */
  readonly ended: Promise<Outcome>
  /** Resolves when its end is stored, or cannot be. */
  readonly over: Promise<void>
}

/** A call to hand over, and its environment. */
export interface LongRunOptions {
  /** The call, with a signal of its own. */
  readonly call: ActiveCall & { readonly stop: StopSource }
  /** How it is handed over. */
  readonly handOver: Pick<HandOver, "finish" | "announced">
  /** The action that runs. */
  readonly runnable: Runnable
  /** The stored task. */
  readonly kept: KeptTask
  /** The first reply of the action. */
  readonly reply: Promise<Reply>
  /** Runs the next part of the action, after a question. */
  readonly start: (runnable: Runnable) => Promise<Reply>
  /** The progress of the action. */
  readonly note: ProgressNote
  /** Called when the action asks a question that its caller has to fetch. */
  readonly onAsked: () => void
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}

/** Follows a call that was handed over. */
export function createLongRun(options: LongRunOptions): LongRun {
  const { call, runnable, kept, host } = options
  const ended = createDeferred<Outcome>()
  const questions = createTaskQuestions()
  const progress = createState(options)
  const writer = createEndWriter(kept, host)
  const outlive = startLife(options, () => stop("expired"))
  let stopped: TaskStop | undefined

  const stop = (reason: TaskStop): void => {
    if (reason === "closing") writer.close()
    if (stopped !== undefined) return
    stopped = reason
    call.stop.abort(new DOMException(`the task was stopped: ${reason}`, "AbortError"))
    questions.cancel()
  }
  const ask = createAsking(options, { questions, state: progress, stopped: () => stopped !== undefined })
  const follow = async (): Promise<void> => {
    let reply = await options.reply
    while (reply.ok === "ask") reply = await ask(reply)
    progress.close()
    outlive()
    ended.resolve(reply)
    const { handOver } = options
    const { tool } = kept.stored.value
    const settled = { kind: "settled", outcome: reply, entry: runnable.entry, revision: 0 } as const
    await writer.write(await toFinalState(settled, stopped, { ...handOver, tool }))
  }
  return {
    stop,
    ended: ended.promise,
    over: follow().catch((cause: unknown) => {
      const message = `the end of the task of "${runnable.entry.name}" was not stored`
      host.report({ code: "records_unavailable", message, cause })
    }),
    task() {
      const { key, value, createdAt, expiresAt } = kept.stored
      const now = Object.assign({}, value, writer.unstored() ?? progress.now())
      return toTask({ key, value: now, createdAt, expiresAt })
    },
    async answer(responses) {
      const answered = await questions.answer(responses)
      const requests = questions.open()
      // The last answer resumes the action, which stores the state itself.
      if (answered && Object.keys(requests).length > 0) await progress.put({ status: "input_required", requests })
    },
  }
}

/** The state of a task that has not ended. */
interface RunState {
  /** Returns the state with the newest progress. */
  now(): TaskState
  /** Stores another state with the newest progress. */
  put(state: TaskState): Promise<unknown>
  /** Stores no more progress. */
  close(): void
}

function createState({ kept, note, host }: LongRunOptions): RunState {
  const { status, requests } = kept.stored.value
  let state: TaskState = { status, ...(requests && { requests }) }
  const now = (): TaskState => {
    const message = note.words()
    return { ...state, ...(message !== undefined && { message }) }
  }
  const write = (): void => {
    kept.write(now()).catch((cause: unknown) => host.report(toUnstored(cause)))
  }
  const writer = createProgressWriter(host, write)
  note.onChange(writer.changed)
  return {
    now: () => (isOver(kept.stored.value.status) ? kept.stored.value : now()),
    put(next) {
      state = next
      return kept.write(now())
    },
    close: writer.close,
  }
}

interface AskingSite {
  readonly questions: TaskQuestions
  readonly state: RunState
  readonly stopped: () => boolean
}

/** Creates the function that puts a question of the running action, waits for the reaction, and resumes the action. */
function createAsking(
  { call, runnable, start, onAsked, host }: LongRunOptions,
  { questions, state, stopped }: AskingSite,
): (ask: Extract<Reply, { readonly ok: "ask" }>) => Promise<Reply> {
  const tryToPut = (next: TaskState): void => {
    state.put(next).catch((cause: unknown) => host.report(toUnstored(cause)))
  }
  return async (ask) => {
    const named = nameSubject(ask.questions, { call, entry: runnable.entry })
    const reaction = questions.put({ ...ask, questions: named })
    // It stays open for as long as the task lives: a person may answer hours later.
    if (stopped()) questions.cancel()
    else {
      tryToPut({ status: "input_required", requests: questions.open() })
      onAsked()
    }
    const answers = await reaction
    if (!stopped()) tryToPut({ status: "working" })
    return start({ ...runnable, answers: {}, run: (context) => ask.resume(answers, context) })
  }
}

/** Runs `end` at the end of a task's life. Returns a function that cancels it. */
function startLife({ kept, host }: LongRunOptions, end: () => void): Cancel {
  const { createdAt, expiresAt } = kept.stored
  let cancel: Cancel = () => undefined
  // Timers cannot wait for longer than 24 days.
  const wait = (left: number): void => {
    cancel = startTimer(host, Math.min(left, DAY), () => (left > DAY ? wait(left - DAY) : end()))
  }
  wait(expiresAt - createdAt)
  return () => cancel()
}

const DAY = 86_400_000
