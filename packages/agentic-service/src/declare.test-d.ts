import { BehaviorSubject, type Observable, of } from "rxjs"
import * as v from "valibot"
import { expectTypeOf } from "vitest"
import { z } from "zod"
import {
  action,
  content,
  createAgenticService,
  type ExecuteContext,
  fail,
  link,
  links,
  source,
  state,
} from "./index.js"

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
const description = "An action"
const nothing = (): void => {}

// ── Input of `execute` ───────────────────────────────────────────────────────────────────────────

action({
  description,
  input: NewCard,
  confirm: ({ title }) => `Add ${title}?`,
  execute: (input, context) => {
    expectTypeOf(input.title).toEqualTypeOf<string>()
    expectTypeOf(input.done).toEqualTypeOf<boolean | undefined>()
    expectTypeOf(context).toEqualTypeOf<ExecuteContext>()
  },
})
action({
  description,
  // An inline schema needs no `as const`.
  input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false },
  execute: ({ n }) => expectTypeOf(n).toEqualTypeOf<number>() && undefined,
})
action({
  description,
  input: z.object({ n: z.string().transform(Number) }),
  execute: ({ n }) => expectTypeOf(n).toEqualTypeOf<number>() && undefined,
})
action({ description, execute: (input) => expectTypeOf(input).toEqualTypeOf<undefined>() && undefined })
// @ts-expect-error the input has no property of that name
action({ description, input: NewCard, execute: (input) => input.titel === 1 })
// @ts-expect-error the function asks for more than the schema promises
action({ description, input: NewCard, execute: (_input: { title: string; due: string }) => {} })

// ── Return values of `execute` ───────────────────────────────────────────────────────────────────

action({ description, execute: nothing })
action({ description, execute: async () => {} })
action({ description, execute: async () => ({ a: 1 }) })
action({ description, execute: () => [1, 2] })
action({ description, execute: () => (Math.random() > 1 ? undefined : fail("nothing to undo")) })
action({
  description,
  execute() {
    if (Math.random() > 1) return fail("nothing to undo")
  },
})
action({ description, output: { type: "string" }, execute: () => "text" })
action({ description, output: CardId, execute: () => ({ id: "1" }) })
action({ description, output: CardId, execute: () => content({ id: "1" }, []) })
action({ description, output: CardId, execute: async () => fail("no", { code: "full" }) })
action({ description, output: z.object({ ok: z.boolean() }), execute: async () => ({ ok: true }) })
// @ts-expect-error a bare string needs a string output
action({ description, execute: () => "text" })
// @ts-expect-error so does a promise of one
action({ description, execute: async () => "text" })
// @ts-expect-error so does a string among other things
action({ description, execute: () => (Math.random() > 1 ? "text" : undefined) })
// @ts-expect-error the id is a string
action({ description, output: CardId, execute: () => ({ id: 1 }) })
// @ts-expect-error it is called "id"
action({ description, output: CardId, execute: async () => ({ idd: "1" }) })
// @ts-expect-error an output is promised
action({ description, output: CardId, execute: () => {} })
// @ts-expect-error the blocks stand beside a wrong value
action({ description, output: CardId, execute: () => content({ id: 1 }, []) })
// @ts-expect-error a Standard Schema promises just as much
action({ description, output: z.object({ ok: z.boolean() }), execute: () => ({ ok: 1 }) })

// ── Code that must not compile ───────────────────────────────────────────────────────────────────

// @ts-expect-error an unknown key
action({ description, confrm: () => "Sure?", execute: nothing })
// @ts-expect-error a misspelt type
action({ description, input: { type: "objct" }, execute: nothing })
// @ts-expect-error a schema that exports no JSON Schema
action({ description, input: v.object({ title: v.string() }), execute: nothing })
// @ts-expect-error no description
action({ execute: nothing })
// @ts-expect-error a condition of text
action({ description, when: of("yes"), execute: nothing })
// @ts-expect-error an unknown key
createAgenticService({ name: "x", actoins: {} })
// @ts-expect-error a state among the actions
createAgenticService({ name: "x", actions: { cards: state({ schema: Cards, value: [] }) } })
// @ts-expect-error a bare object among the actions
createAgenticService({ name: "x", actions: { go: { description, execute: nothing } } })

// ── Sources of a state's value ───────────────────────────────────────────────────────────────────

state({ schema: Cards, value: [{ title: "x" }] })
state({ schema: Cards, value: new BehaviorSubject([{ title: "x" }]) })
state({ schema: Cards, value: of([{ title: "x" }]) as Observable<readonly { readonly title: string }[]> })
state({ schema: Cards, value: Promise.resolve([{ title: "x" }]) })
state({ schema: Cards, value: { subscribe: () => nothing, getSnapshot: () => [{ title: "x" }] } })
state({ schema: Cards, value: { subscribe: () => nothing, getState: () => [{ title: "x" }] } })
state({ schema: Cards, value: { subscribe: () => nothing, get: () => [{ title: "x" }] } })
state({
  schema: Cards,
  value: source.observe((notify) => {
    notify([{ title: "x" }])
    return nothing
  }),
})
state({ schema: Cards, value: source.read(() => [{ title: "x" }]) })
state({ schema: Cards, value: source.read(() => [{ title: "x" }], { changes: of(1) }) })
// @ts-expect-error a bare function may be a writer: source.read and source.observe say what it is
state({ schema: Cards, value: () => [{ title: "x" }] })
// @ts-expect-error a value of another type
state({ schema: Cards, value: source.read(() => "x") })
state({ schema: z.array(z.object({ title: z.string() })), value: [{ title: "x" }] })
state({ mediaType: "image/png", value: new Uint8Array() })
state({ mediaType: "text/markdown", value: of("# Title"), when: { is: of(true), otherwise: "there is no text" } })
// @ts-expect-error the property is called "title"
state({ schema: Cards, value: of([{ titel: "x" }]) })
// @ts-expect-error the store holds something else
state({ schema: Cards, value: { subscribe: () => nothing, getState: () => 1 } })
// @ts-expect-error neither a schema nor a media type
state({ value: of(1) })

// ── Links ────────────────────────────────────────────────────────────────────────────────────────

const service = createAgenticService({ name: "x" })
link({ service })
link({ description: "The open card", service: new BehaviorSubject<typeof service | null>(null) })
links({
  of: of([{ id: 1 }]),
  key: ({ id }) => String(id),
  service: ({ id }) => createAgenticService({ name: `${id}` }),
})
// @ts-expect-error a key is text
links({ of: of([{ id: 1 }]), key: ({ id }) => id, service: () => service })
// @ts-expect-error no service
link({ service: of("x") })
