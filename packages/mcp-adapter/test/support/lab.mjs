// JavaScript, because a child process runs it too, on the built packages; tests run it on the sources.
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject, Subject } from "rxjs"

/** Creates an adapter with every behaviour of actions, on a clock that only the action `advance` moves. */
export function createLab(calls, tell) {
  const clock = createClock()
  const control = { release: new Subject(), step: new Subject(), shown: new BehaviorSubject(true) }
  const wait = (name, onStop, options = {}) =>
    action({
      ...options,
      description: name,
      execute(_, { signal, progress }) {
        tell(`ran ${name}`)
        return new Promise((resolve, reject) => {
          const ways = { resolve, reject, progress, signal }
          options.begin?.(ways)
          signal.addEventListener("abort", () => {
            tell(`stop ${name}`)
            onStop(ways)
          })
        })
      },
    })
  const obey = ({ reject, signal }) => reject(signal.reason)
  const ignore = ({ resolve }) => control.release.subscribe(() => resolve("late"))
  const report = ({ progress }) => control.step.subscribe((done) => progress({ progress: done }))
  const drain = ({ resolve }) => control.release.subscribe(() => resolve("drained"))
  const pass = (milliseconds) => {
    clock.advance(milliseconds)
    tell("time passed")
  }
  const service = createAgenticService({
    name: "lab",
    actions: {
      quick: action({
        description: "Return at once",
        output: TEXT,
        execute() {
          tell("ran quick")
          return "done"
        },
      }),
      fail: action({ description: "Throw", execute: () => Promise.reject(new Error("a secret")) }),
      reject: action({ description: "Reject with nothing", execute: () => Promise.reject() }),
      obey: wait("obey", obey),
      finish: wait("finish", ({ resolve }) => resolve("finished"), { output: TEXT }),
      ignore: wait("ignore", ignore, { output: TEXT }),
      never: wait("never", () => {}),
      report: wait("report", obey, { idleMs: 30_000, timeoutMs: 1_000_000, begin: report }),
      shy: wait("shy", obey, { output: TEXT, when: control.shown, begin: drain }),
      release: action({ description: "Let them end", execute: () => control.release.next() }),
      step: action({ description: "Have `report` report", input: COUNT, execute: ({ n }) => control.step.next(n) }),
      show: action({ description: "Show `shy`", execute: () => control.shown.next(true) }),
      hide: action({ description: "Hide `shy`", execute: () => control.shown.next(false) }),
      advance: action({ description: "Let time pass", input: COUNT, execute: ({ n }) => void later(() => pass(n)) }),
    },
  })
  const adapter = createMcpAdapter(service, { calls, clock })
  adapter.events.subscribe((event) => {
    const line = toLine(event)
    if (line !== undefined) tell(line)
  })
  return { adapter, advance: clock.advance }
}

const TEXT = { type: "string" }
const COUNT = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }

/** Waits two tasks, until the call that advances the clock is answered: its own limits depend on the same clock. */
function later(then) {
  setImmediate(() => setImmediate(then))
}

function toLine({ type, name, outcome }) {
  if (type === "call-settled") return `settled ${name}${outcome.ok ? "" : ` ${outcome.code}`}`
  return type.startsWith("call-") ? `${type.slice("call-".length)} ${name}` : undefined
}

export function createClock() {
  const timers = new Set()
  let now = 0
  return {
    now: () => now,
    settle(callback) {
      const handle = setImmediate(callback)
      return () => clearImmediate(handle)
    },
    after(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(milliseconds) {
      now += milliseconds
      for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.callback()
    },
  }
}
