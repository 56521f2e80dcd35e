import { BehaviorSubject, of } from "rxjs"
import * as v from "valibot"
import { expectTypeOf } from "vitest"
import { z } from "zod"
import { action, content, createAgenticService, fail, links, state } from "./index.js"

const NewCard = {
  type: "object",
  properties: { title: { type: "string" }, done: { type: "boolean", default: false } },
  required: ["title"],
  additionalProperties: false,
} as const
const CardId = {
  type: "object",
  properties: { id: { type: "string" } },
  required: ["id"],
  additionalProperties: false,
} as const
const Cards = { type: "array", items: NewCard } as const

action({
  description: "x",
  input: NewCard,
  output: CardId,
  execute: (input) => {
    expectTypeOf(input.title).toEqualTypeOf<string>()
    expectTypeOf(input.done).toEqualTypeOf<boolean | undefined>()
    return { id: input.title }
  },
})
action({
  description: "x",
  input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false },
  execute: ({ n }) => {
    expectTypeOf(n).toEqualTypeOf<number>()
  },
})
action({
  description: "x",
  input: z.object({ n: z.string().transform(Number) }),
  output: z.object({ ok: z.boolean() }),
  execute: async ({ n }) => {
    expectTypeOf(n).toEqualTypeOf<number>()
    return { ok: true }
  },
})
action({ description: "x", execute: () => (Math.random() > 1 ? undefined : fail("nothing to undo")) })
action({ description: "x", execute: async () => {} })
action({ description: "x", execute: async () => ({ a: 1 }) })
action({ description: "x", execute: () => [1, 2] })
action({ description: "x", output: { type: "string" }, execute: () => "text" })
action({ description: "x", output: CardId, execute: () => content({ id: "x" }, []) })
action({ description: "x", output: CardId, execute: async () => fail("x") })
action({
  description: "x",
  execute() {
    if (Math.random() > 2) return fail("x")
  },
})
// @ts-expect-error string
action({ description: "x", execute: () => "text" })
// @ts-expect-error async string
action({ description: "x", execute: async () => "text" })
// @ts-expect-error wrong output
action({ description: "x", output: CardId, execute: () => ({ id: 1 }) })
// @ts-expect-error wrong output async
action({ description: "x", output: CardId, execute: async () => ({ idd: "1" }) })
// @ts-expect-error nothing
action({ description: "x", output: CardId, execute: () => {} })
// @ts-expect-error the input has no property of that name
action({ description: "x", input: NewCard, execute: (input) => input.titel === 1 })
// @ts-expect-error unknown key
action({ description: "x", confrm: () => "x", execute: () => {} })
// @ts-expect-error misspelt type
action({ description: "x", input: { type: "objct" }, execute: () => {} })
// @ts-expect-error valibot does not export
action({ description: "x", input: v.object({ a: v.string() }), execute: () => {} })
state({ schema: Cards, value: new BehaviorSubject([{ title: "x" }]) })
state({ schema: Cards, value: of([{ title: "x" }] as readonly { readonly title: string }[]) })
state({ schema: z.array(z.object({ title: z.string() })), value: [{ title: "x" }] })
state({ schema: Cards, value: Promise.resolve([{ title: "x" }]) })
state({ schema: Cards, value: { subscribe: () => () => {}, getState: () => [{ title: "x" }] } })
state({
  schema: Cards,
  value: (notify) => {
    notify([{ title: "x" }])
    return () => {}
  },
})
state({ mediaType: "image/png", value: new Uint8Array() })
// @ts-expect-error wrong value
state({ schema: Cards, value: of([{ titel: "x" }]) })
// @ts-expect-error neither
state({ value: of(1) })
// @ts-expect-error unknown key
createAgenticService({ name: "x", actoins: {} })
// @ts-expect-error state among actions
createAgenticService({ name: "x", actions: { a: state({ schema: true, value: 1 }) } })
links({ of: of([{ id: 1 }]), key: (c) => String(c.id), service: () => createAgenticService({ name: "x" }) })
