import { action, createAgenticService } from "@x/agentic-service"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CallAnswer } from "../active-call.js"
import type { CallContext } from "../call-context.js"
import { contextWith, serve } from "../serve.fixture.js"

const modern = {
  leg: { transport: "http", era: "modern", notices: true },
  clientCapabilities: { elicitation: {} },
} as const

/** Deeds of users and attackers, in any order, several at once. */
type Deed =
  | { readonly do: "ask"; readonly who: string; readonly all: boolean }
  | {
      readonly do: "answer"
      readonly who: string
      readonly all: boolean
      readonly which: number
      readonly says: string
    }
  | { readonly do: "change"; readonly files: number }

const who = fc.constantFrom("ann", "bob")
const ask = fc.record({ do: fc.constant("ask" as const), who, all: fc.boolean() })
const answer = fc.record({
  do: fc.constant("answer" as const),
  ...{
    who,
    all: fc.boolean(),
    which: fc.nat(3),
    says: fc.constantFrom("yes", "yes", "yes", "no", "empty", "tampered"),
  },
})
const change = fc.record({ do: fc.constant("change" as const), files: fc.integer({ min: 1, max: 2 }) })
const rounds = fc.array(fc.array(fc.oneof(ask, answer, answer, change), { minLength: 1, maxLength: 5 }), {
  maxLength: 12,
})

const SAYS: Readonly<Record<string, unknown>> = {
  yes: { action: "accept", content: { confirm: true } },
  no: { action: "decline" },
  empty: { action: "accept", content: {} },
  tampered: { action: "accept", content: { confirm: true } },
}

/** A shown question with its asker and arguments. */
interface Shown {
  readonly state: string
  readonly who: string
  readonly all: boolean
  readonly message: unknown
}

describe("consent", () => {
  it("runs a confirmed call at most once: for the client that was asked, with its arguments, on the shown instance", async () => {
    let everRan = 0
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const { ran, strange } = await play(all)

        expect(ran.filter(({ isCovered }) => !isCovered)).toEqual([])
        expect(strange).toEqual([])
        everRan += ran.length
      }),
      { numRuns: 1000 },
    )
    expect(everRan).toBeGreaterThan(50)
  })
})

async function play(all: readonly (readonly Deed[])[]) {
  const disk = { files: 1 }
  const shown: Shown[] = []
  const ran: { readonly asked: string; readonly isCovered: boolean }[] = []
  const strange: Deed[] = []
  const question = (everything: boolean): string => `Delete ${everything ? "all of" : "some of"} ${disk.files} files?`
  const clear = action({
    description: "Delete",
    input: { type: "object", properties: { all: { type: "boolean" } }, required: ["all"] },
    confirm: ({ all: everything }) => question(everything),
    execute: ({ all: everything }, { principal }) => {
      const asked = `${principal?.id}: ${question(everything)}`
      // Each shown question allows one run.
      const left = shown.filter(({ who, message }) => `${who}: ${message}` === asked).length
      ran.push({ asked, isCovered: ran.filter((each) => each.asked === asked).length < left })
    },
  })
  const service = createAgenticService({ name: "disk", actions: { clear } })
  const { call } = serve(service, undefined, { running: 20 })
  const note = (came: CallAnswer, { who, all }: { readonly who: string; readonly all: boolean }): void => {
    if (came.kind !== "asked") return
    const [first] = Object.values(came.questions)
    shown.push({ state: came.state, who, all, message: String(Object(first).message).split("\n")[0] })
  }
  const reply = async (deed: Extract<Deed, { do: "answer" }>, context: CallContext): Promise<void> => {
    const about = shown[deed.which]
    if (about === undefined) return
    const requestState = deed.says === "tampered" ? about.state.replace(/.$/, "!") : about.state
    const inputResponses = { _confirm: SAYS[deed.says] }
    const came = await call("clear", { all: deed.all }, { ...context, requestState, inputResponses })
    note(came, deed)
    // The client that this was asked for may get its result again.
    const isTheirs = about.who === deed.who && about.all === deed.all && deed.says !== "tampered"
    if (!isTheirs && came.kind === "settled" && came.outcome.ok) strange.push(deed)
  }
  const act = async (deed: Deed): Promise<void> => {
    if (deed.do === "change") {
      disk.files = deed.files
      return
    }
    const context = contextWith({ ...modern, client: deed.who, principal: { id: deed.who } })
    if (deed.do === "ask") note(await call("clear", { all: deed.all }, context), deed)
    else await reply(deed, context)
  }
  for (const round of all) await Promise.all(round.map(act))
  return { ran, strange }
}
