import { action, createAgenticService, link, toAgenticService } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createRig, toolNames } from "./catalogue.fixture.js"

const named = (description: string) => action({ description, execute: () => undefined })

describe("createNameTwins", () => {
  it("reports names that differ only in case or joints, and lists both", () => {
    const child = createAgenticService({ name: "c", actions: { add: named("Add one") } })
    const { catalogue, diagnostics } = createRig(
      createAgenticService({
        name: "s",
        actions: { saveAll: named("Save"), saveall: named("Save too"), item_add: named("Add") },
        links: { item: link({ service: child }) },
      }),
    )

    expect(toolNames(catalogue.read())).toEqual(["item__add", "item_add", "saveAll", "saveall"])
    expect(diagnostics.map(({ code, key }) => [code, key]).sort()).toEqual([
      ["name_alike", "add"],
      ["name_alike", "saveall"],
    ])
    expect(diagnostics.find(({ key }) => key === "saveall")?.message).toBe(
      'action "saveall" is named "saveall", too similar to "saveAll": some hosts confuse the two or refuse both; give it a "toolName"',
    )
  })

  it("reports a name similar to one of the adapter's own tools", () => {
    const state = new BehaviorSubject(false)
    const getState = action({ description: "Get", when: state, execute: () => undefined })
    const { catalogue, diagnostics, reserved } = createRig(createAgenticService({ name: "s", actions: { getState } }))
    reserved.add(["get_state"])
    state.next(true)

    expect(toolNames(catalogue.read())).toEqual(["getState"])
    expect(diagnostics.map(({ code, message }) => [code, message.includes('"get_state"')])).toEqual([
      ["name_alike", true],
    ])
  })

  it("reports it once, however often the action comes and goes", () => {
    const on = new BehaviorSubject(true)
    const { catalogue, diagnostics } = createRig(
      createAgenticService({
        name: "s",
        actions: { a: named("A"), A: action({ description: "A", when: on, execute: () => undefined }) },
      }),
    )
    for (const shown of [false, true, false, true]) {
      on.next(shown)
      catalogue.read()
    }

    expect(diagnostics.length).toBe(1)
  })

  it("forgets a name that is no longer known", () => {
    const toActions = (...keys: string[]) =>
      Object.fromEntries(keys.map((key) => [key, { description: key, execute: async () => undefined }]))
    const actions = new BehaviorSubject(toActions("ab"))
    const foreign = toAgenticService({ actions, execute: async () => undefined })
    const { catalogue, diagnostics } = createRig(
      createAgenticService({ name: "s", links: { f: link({ service: foreign }) } }),
      { seen: 0 },
    )
    for (const keys of [[], ["aB"]]) {
      catalogue.read()
      actions.next(toActions(...keys))
    }
    catalogue.read()

    expect(diagnostics).toEqual([])
  })
})
