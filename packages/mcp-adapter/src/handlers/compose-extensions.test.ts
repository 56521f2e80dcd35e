import { Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { contextWith } from "../calls/serve.fixture.js"
import type { Diagnostic } from "../runtime/diagnostic.js"
import { composeExtensions } from "./compose-extensions.js"
import type { Extension, ServerNotice } from "./extension.js"

const site = { serverName: "s" }
const leg = { transport: "http", era: "modern", notices: true } as const
const compose = (...all: Extension[]): Extension => composeExtensions(all, () => undefined)

/** Creates an extension that adds its name to the next handler's answer. */
const naming = (name: string): Extension => ({
  methods: {
    "prompts/list": (own) => async (params, context) => ({ by: [name, Object(await own(params, context)).by].flat() }),
  },
})

describe("composeExtensions", () => {
  it("asks the first before the next, and the adapter last", async () => {
    const method = compose(naming("a"), {}, naming("b")).methods?.["prompts/list"]

    expect(await method?.(async () => ({ by: "own" }), site)({}, contextWith())).toEqual({ by: ["a", "b", "own"] })
  })

  it("unites capabilities, member by member, and the first wins where two differ", () => {
    const { capabilities } = compose(
      { capabilities: () => ({ prompts: { listChanged: true }, extensions: { "x/a": { one: 1 } } }) },
      { capabilities: () => ({ prompts: { listChanged: false }, logging: {}, extensions: { "x/b": {} } }) },
    )

    expect(capabilities?.(leg)).toEqual({
      prompts: { listChanged: true },
      logging: {},
      extensions: { "x/a": { one: 1 }, "x/b": {} },
    })
  })

  it("follows a resource in the extension that has it", () => {
    const watched: string[] = []
    const having = (uri: string): Extension => ({
      hasResource: (each) => each === uri,
      watchResource: (each) => {
        watched.push(`${uri} ${each}`)
        return () => undefined
      },
    })
    const { hasResource, watchResource } = compose(having("a:"), having("b:"))
    watchResource?.("b:", site)

    expect([["a:", "b:", "c:"].map((uri) => hasResource?.(uri, site)), watched]).toEqual([
      [true, true, false],
      ["b: b:"],
    ])
  })

  it("merges notices, and lets those of a failed extension end alone", () => {
    const [one, other] = [new Subject<ServerNotice>(), new Subject<ServerNotice>()]
    const reported: Diagnostic[] = []
    const seen: string[] = []
    const extension = composeExtensions([{ notices: one }, { notices: other }], (each) => void reported.push(each))
    extension.notices?.subscribe(({ kind }) => void seen.push(kind))

    one.next({ kind: "tools" })
    one.error(new Error("over"))
    other.next({ kind: "prompts" })

    expect([seen, reported.map(({ code }) => code)]).toEqual([["tools", "prompts"], ["source_failed"]])
  })
})
