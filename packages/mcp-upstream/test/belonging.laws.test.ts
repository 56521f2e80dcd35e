import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ExecuteContext, Reply } from "@x/agentic-service"
import { thingOf } from "@x/agentic-service/adapter"
import fc from "fast-check"
import { filter, firstValueFrom, skip } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Upstream, UpstreamOptions, UpstreamStatus } from "../src/index.js"
import type { Era } from "./servers.js"
import { startWitness, type Way, type Witness } from "./witness.js"

/** The random events of a run. */
const STEPS = ["ask", "answer", "decline", "hold", "release", "linger", "cancel", "pay", "restart"] as const
type Step = (typeof STEPS)[number]

/** How to reach the witness. */
interface Reached {
  readonly way: Way
  readonly era: Era
  readonly options?: UpstreamOptions
  /** The program that replaces the first on a restart. Its name is too short to be redacted. */
  readonly impostor?: string
}

const ways: readonly Reached[] = [
  { way: "stdio", era: "legacy" },
  { way: "stdio", era: "legacy", impostor: "thief" },
  { way: "stdio", era: "legacy", options: { ownConnection: true } },
  { way: "stdio", era: "modern", impostor: "thief" },
  { way: "http", era: "legacy" },
  { way: "http", era: "modern" },
]

describe.each(ways)("an upstream over $way in the $era era ($options, comes back as $impostor)", (reached) => {
  it("speaks to the caller that it means, runs what was meant for it, and refuses nothing else", async () => {
    const { way, era, options = {}, impostor } = reached
    const own = options.ownConnection === true
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 8, maxLength: 24 }), async (steps) => {
        const env = impostor === undefined ? {} : { MARK: await freshPath(), AGAIN_NAME: impostor }
        const witness = await startWitness({ way, era, env }, { limits: QUICK, ...options })
        const piped = way === "stdio" && era === "legacy" && !own
        const life = createLife(witness, { piped, restarts: way === "stdio" && !own, ends: !own })
        for (const step of steps) {
          await life.step(step)
          await new Promise((resolve) => setImmediate(resolve))
        }
        await life.end()
        await witness.server.close()

        for (const call of life.calls) expectLaws(call, witness, { stable: impostor === undefined })
      }),
      { numRuns: 3, seed: 23 },
    )
  }, 60_000)
})

const QUICK = { retryMs: 1, graceMs: 10_000 }

/** A call, the messages its caller heard, and the facts that the test recorded. */
interface Call {
  readonly who: string
  readonly tool: string
  readonly abort: AbortController
  /** The program connected at the start, by name. */
  readonly by: string | undefined
  /** The upstream's identity at the start. */
  readonly thing: string
  readonly heard: string[]
  readonly questions: string[]
  /** Whether another running request could have caused a question of the server. */
  crowded: boolean
  heardWhenCancelled?: number
  reply?: Reply
}

const pinOf = (who: string): string => `pin of ${who}`

function expectLaws(call: Call, { all }: Witness, { stable }: { readonly stable: boolean }): void {
  const { who, tool, by, heard, heardWhenCancelled, questions, reply, crowded } = call
  // The caller hears only its own messages, and none after cancelling.
  expect([...heard, ...questions].filter((text) => !text.split(/\W/).includes(who))).toEqual([])
  expect(heardWhenCancelled ?? heard.length).toBe(heard.length)
  // A person's answer reaches only the call that asked.
  for (const entry of all.filter((each) => each["answered"] === who || each["late"] === who))
    expect([undefined, pinOf(who)]).toContain(entry["pin"])
  // A call runs only on the program it was meant for.
  for (const entry of all.filter((each) => each["ran"] === "pay" && each["who"] === who)) expect(entry["by"]).toBe(by)
  // Without a replacement, no call is refused. A person is left unasked only if the question's call is unclear.
  const code = reply?.ok === false ? reply.code : undefined
  if (stable) expect(code).not.toBe("changed")
  if (tool === "ask" && !crowded && heardWhenCancelled === undefined && code === undefined)
    expect(questions).toHaveLength(1)
}

/** Options of a run. */
interface LifeOptions {
  /** Whether all messages share one pipe, which does not distinguish calls. */
  readonly piped: boolean
  /** Whether the process can be restarted. */
  readonly restarts: boolean
  /** Whether a cancelled call continues at the server until the witness records its end. */
  readonly ends: boolean
}

/** A call that asks a person. */
interface Asking {
  readonly call: Call
  readonly reply: Extract<Reply, { ok: "ask" }>
}

/** Creates a run of one upstream, with callers that call, cancel and answer. */
function createLife({ server, until, all }: Witness, { piped, restarts, ends }: LifeOptions) {
  const calls: Call[] = []
  const open = new Map<Call, Promise<void>>()
  const asking: Asking[] = []
  let unanswered = 0
  let deaths = 0

  const follow = (call: Call, coming: Promise<Reply>): void => {
    const done = coming.then((reply) => {
      open.delete(call)
      if (reply.ok !== "ask") {
        call.reply = reply
        return
      }
      call.questions.push(...Object.values(reply.questions).map(({ message }) => message))
      asking.push({ call, reply })
    })
    open.set(call, done)
  }
  const begin = (tool: string, about?: Call): Promise<void> | undefined => {
    const call = createCall(server, { tool, number: calls.length })
    const running = [...open.keys(), ...asking.map((each) => each.call)]
    call.crowded = piped && running.length + unanswered > 0
    for (const other of running) other.crowded ||= piped
    calls.push(call)
    follow(call, server.execute(tool, { who: about?.who ?? call.who }, contextOf(call)))
    return open.get(call)
  }
  const resume = ({ call, reply }: Asking, answer: object | "declined" | "cancelled"): void => {
    const keys = Object.keys(reply.questions)
    const answers = typeof answer === "string" ? answer : Object.fromEntries(keys.map((key) => [key, answer]))
    follow(call, reply.resume(answers, contextOf(call)))
  }
  const answerNext = (answerOf: (call: Call) => object | "declined"): void => {
    const next = asking.shift()
    if (next !== undefined) resume(next, answerOf(next.call))
  }
  const has = (key: string, call: Call): boolean => all.some((entry) => entry[key] === call.who)
  const cancel = async (call: Call): Promise<void> => {
    call.abort.abort()
    call.heardWhenCancelled = call.heard.length
    unanswered += 1
    await open.get(call)
    if (ends && has("lingers", call)) await until((entry) => entry["late"] === call.who)
  }
  const restart = async (): Promise<void> => {
    // A process that exits five times within a minute is left down.
    deaths += 1
    if (!restarts || deaths > 3) return
    const again = firstValueFrom(server.status.pipe(filter(isConnected), skip(1)))
    await server.execute("die", {})
    await again
    await Promise.all(open.values())
    unanswered = 0
  }
  const first = (fits: (call: Call) => boolean = () => true): Call | undefined => [...open.keys()].find(fits)
  const steps: Record<Step, () => unknown> = {
    ask: () => void begin("ask"),
    // Each held call takes one of sixteen places.
    hold: () => void (open.size < 8 && begin("hold")),
    linger: () => void (open.size < 8 && begin("linger")),
    pay: () => begin("pay"),
    release() {
      const held = first((call) => has("holds", call))
      return held && begin("release", held)
    },
    answer: () => answerNext(({ who }) => ({ pin: pinOf(who) })),
    decline: () => answerNext(() => "declined"),
    cancel() {
      const oldest = first()
      return oldest && cancel(oldest)
    },
    restart,
  }
  return {
    calls,
    step: async (step: Step): Promise<void> => void (await steps[step]()),
    async end(): Promise<void> {
      while (open.size + asking.length > 0) {
        for (const each of asking.splice(0)) resume(each, "cancelled")
        const left = first()
        if (left !== undefined) await (left.heardWhenCancelled === undefined ? cancel(left) : open.get(left))
      }
    },
  }
}

function createCall(server: Upstream, { tool, number }: { readonly tool: string; readonly number: number }): Call {
  return {
    who: `${number % 2 === 0 ? "ann" : "bob"}${number}`,
    tool,
    abort: new AbortController(),
    by: programOf(server),
    thing: thingOf(server),
    heard: [],
    questions: [],
    crowded: false,
  }
}

function contextOf(call: Call): ExecuteContext {
  return {
    signal: call.abort.signal,
    answers: {},
    thing: call.thing,
    progress: ({ message }) => void call.heard.push(`progress ${message}`),
    log: (_, data) => void call.heard.push(`log ${String(data)}`),
  }
}

function isConnected({ state }: UpstreamStatus): boolean {
  return state === "connected"
}

/** Returns the name of the connected program. */
function programOf({ status }: Upstream): string | undefined {
  let name: string | undefined
  const subscription = status.subscribe((now) => {
    name = now.state === "connected" ? now.server?.name : undefined
  })
  subscription.unsubscribe()
  return name
}

async function freshPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "laws-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, "mark")
}
