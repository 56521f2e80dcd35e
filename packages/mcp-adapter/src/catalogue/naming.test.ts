import { action, createAgenticService, link, links, toAgenticService } from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { foldHyphens } from "../names/tool-name.js"
import { createRig, toolNames } from "./catalogue.fixture.js"

const HASH = /_[0-9][0-9a-z]{8}$/
const run = () => undefined
const tool = (description: string, options: { toolName?: string; when?: BehaviorSubject<boolean> } = {}) =>
  action({ description, execute: run, ...options })

describe("createNaming", () => {
  it("keeps hyphens, and gives a hash to one of two names that fold", () => {
    const actions = { "get-sum": tool("A"), "take-it": tool("B"), take_it: tool("C") }
    const { catalogue, diagnostics } = createRig(createAgenticService({ name: "s", actions }))

    expect(toolNames(catalogue.read())).toEqual(["get-sum", expect.stringMatching(/^take-it_[0-9]/), "take_it"])
    expect(diagnostics.map(({ code, key }) => [code, key])).toEqual([["name_clash", "take-it"]])
    expect(diagnostics[0]?.message).toMatch(
      /^action "take-it" is named "take-it_\w{9}" instead of "take-it", which some clients cannot tell from "take_it": that name belongs to action "take_it"; give it another "toolName"$/,
    )
  })

  it("prefers the first path across services when both names have a hyphen", () => {
    const child = (key: string) => link({ service: createAgenticService({ name: key, actions: { [key]: tool(key) } }) })
    const service = createAgenticService({ name: "s", links: { "x-a_b": child("c"), "x_a-b": child("c") } })

    expect(toolNames(createRig(service).catalogue.read())).toEqual([
      "x-a_b__c",
      expect.stringMatching(/^x_a-b__c_[0-9]/),
    ])
  })

  it("keeps a displaced action under its new name when the other goes, and both names callable", () => {
    const when = new BehaviorSubject(false)
    const { catalogue } = createRig(
      createAgenticService({ name: "s", actions: { "a-b": tool("A"), a_b: tool("B", { when }) } }),
    )
    const before = toolNames(catalogue.read())
    when.next(true)
    const during = toolNames(catalogue.read())
    when.next(false)
    const after = toolNames(catalogue.read())

    // The name is declared, and so taken before anything is listed.
    expect(before).toEqual([expect.stringMatching(HASH)])
    expect(during).toEqual([...before, "a_b"])
    expect(after).toEqual(before)
    for (const name of ["a-b", ...before]) expect(catalogue.find(name)?.latest()?.key).toBe("a-b")
    expect(catalogue.find("a_b")?.latest()).toBeUndefined()
  })

  it("displaces a listed action when a name without a hyphen appears, and keeps its old name callable", () => {
    const { catalogue, maps } = foreignGraph()
    maps.get("p")?.next(toActions([{ key: "a-b" }]))
    const before = toolNames(catalogue.read())
    maps.get("p")?.next(toActions([{ key: "a-b" }, { key: "a_b" }]))
    const after = toolNames(catalogue.read())

    expect(before).toEqual(["p__a-b"])
    expect(after).toEqual([expect.stringMatching(/^p__a-b_[0-9]/), "p__a_b"])
    expect(catalogue.find("p__a-b")?.latest()?.name).toBe(after[0])
    expect(catalogue.known().map(({ name }) => name)).toEqual(after)
  })

  it("keeps a known name with its action when another action wants exactly the same name", () => {
    const when = new BehaviorSubject(false)
    const panel = (name: string) => createAgenticService({ name, actions: { undo: tool(name, { toolName: "undo" }) } })
    const panels = new BehaviorSubject<readonly string[]>(["b"])
    const { catalogue, diagnostics } = createRig(
      createAgenticService({
        name: "s",
        actions: { other: tool("O", { when }) },
        links: { panels: links({ description: "P", of: panels, key: (name) => name, service: panel }) },
      }),
    )
    catalogue.read()
    panels.next(["a", "b"])
    const names = toolNames(catalogue.read())

    expect(names).toEqual([expect.stringMatching(/^panels__a__undo_[0-9]/), "undo"])
    expect(catalogue.find("undo")?.latest()?.path).toEqual(["panels", "b"])
    expect(diagnostics.map(({ code, path }) => [code, path])).toEqual([["name_clash", ["panels", "a"]]])
  })

  it("reuses a name that no action holds any more", () => {
    const panel = (name: string) => createAgenticService({ name, actions: { undo: tool(name, { toolName: "undo" }) } })
    const panels = new BehaviorSubject<readonly string[]>(["b"])
    const { catalogue } = createRig(
      createAgenticService({
        name: "s",
        links: { panels: links({ description: "P", of: panels, key: (name) => name, service: panel }) },
      }),
    )
    catalogue.read()
    panels.next(["c"])

    expect(toolNames(catalogue.read())).toEqual(["undo"])
    expect(catalogue.find("undo")?.latest()?.path).toEqual(["panels", "c"])
  })

  it("reserves the names of the adapter's own tools only once there are such tools", () => {
    const actions = { wait_for: tool("A"), "wait-for": tool("B"), a: tool("C", { toolName: "run_action" }) }
    const { catalogue, reserved } = createRig(createAgenticService({ name: "s", actions }))
    const before = toolNames(catalogue.read())
    reserved.add(["wait_for", "run_action"])
    const after = toolNames(catalogue.read())

    expect(before).toEqual(["run_action", expect.stringMatching(/^wait-for_[0-9]/), "wait_for"])
    expect(after).toEqual([/^a_[0-9]/, /^wait-for_[0-9]/, /^wait_for_[0-9]/].map((each) => expect.stringMatching(each)))
    expect(catalogue.find("wait_for")?.latest()?.key).toBe("wait_for")
  })

  it("never lists two known names that fold to one, whatever was seen before", () => {
    const found = new BehaviorSubject<ReturnType<typeof createAgenticService> | null>(null)
    const one = (key: string) => createAgenticService({ name: key, actions: { [key]: tool(key) } })
    const { catalogue } = createRig(createAgenticService({ name: "s", links: { l: link({ service: found }) } }))
    const known = ["a-b", "a_b", "a-b"].map((key) => {
      found.next(one(key))
      catalogue.read()
      return catalogue.known().map(({ name }) => name)
    })

    expect(known).toEqual([["l__a-b"], ["l__a_b"], ["l__a-b"]])
  })
})

const KEYS = ["a-b", "a_b", "a-b-c", "a_b-c", "a-b_c", "a_b_c", "b", "c-d", "wait_for", "wait-for"]
const PATHS = ["", "p", "p-q", "p_q"]
const ALL = PATHS.flatMap((path) => KEYS.map((key) => ({ path, key })))

describe("the names of a whole catalogue, after any history", () => {
  it("stay different after `-` → `_`, change only to a hash, and never lead to another action", () => {
    const steps = fc.array(fc.uniqueArray(fc.nat(ALL.length - 1), { maxLength: 12 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(steps, fc.boolean(), (lives, reserve) => {
        const { catalogue, reserved, maps } = foreignGraph()
        if (reserve) reserved.add(["wait_for"])
        const meant = new Map<string, string>()
        const displaced = new Set<string>()
        for (const [index, life] of lives.entries()) {
          const shown = life.map((at) => ALL[at]).filter((each) => each !== undefined)
          for (const path of PATHS) maps.get(path)?.next(toActions(shown.filter((each) => each.path === path)))
          const { tools } = catalogue.read()

          expect(tools.map((entry) => [...entry.path, entry.key].join("/")).sort()).toEqual(
            shown.map(({ path, key }) => (path === "" ? key : `${path}/${key}`)).sort(),
          )
          expect(new Set(tools.map(({ name }) => foldHyphens(name))).size).toBe(tools.length)
          expect(new Set(catalogue.known().map(({ name }) => foldHyphens(name))).size).toBe(catalogue.known().length)
          if (index === 0) expect(toolNames({ tools })).toEqual(expectedNames(shown, reserve))
          for (const { name, path, key } of tools) {
            const id = [...path, key].join("/")
            if (displaced.has(id)) expect(name).toMatch(HASH)
            if (HASH.test(name)) displaced.add(id)
            expect(meant.get(name) ?? id).toBe(id)
            meant.set(name, id)
          }
          for (const [name, id] of meant) {
            const latest = catalogue.find(name)?.latest()
            if (latest !== undefined) expect([...latest.path, latest.key].join("/")).toBe(id)
            else expect(tools.some((entry) => [...entry.path, entry.key].join("/") === id)).toBe(false)
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})

/** Creates a root and three links. The test controls their actions. */
function foreignGraph() {
  const maps = new Map(PATHS.map((path) => [path, new BehaviorSubject(toActions([]))]))
  const foreign = (path: string) => ({ name: path, actions: maps.get(path), execute: async () => undefined })
  const children = Object.fromEntries(PATHS.slice(1).map((path) => [path, { service: foreign(path) }]))
  const root = { ...foreign(""), links: new BehaviorSubject(children) }
  return { ...createRig(toAgenticService(root)), maps }
}

function toActions(shown: readonly { readonly key: string }[]) {
  return Object.fromEntries(shown.map(({ key }) => [key, { description: key, execute: async () => undefined }]))
}

/** The naming rule applied to a list: reserved names, then names without a hyphen, then the first path. */
function expectedNames(shown: typeof ALL, reserve: boolean): unknown[] {
  const plain = shown.map(({ path, key }) => ({
    depth: path === "" ? 0 : 1,
    name: path === "" ? key : `${path}__${key}`,
    path,
    key,
  }))
  const order = (one: (typeof plain)[number]) => `${one.name.includes("-") ? 1 : 0}${one.depth}${one.path}/${one.key}`
  const winners = new Map<string, string>(reserve ? [["wait_for", ""]] : [])
  for (const one of [...plain].sort((a, b) => (order(a) < order(b) ? -1 : 1))) {
    const fold = one.name.replaceAll("-", "_")
    if (!winners.has(fold)) winners.set(fold, one.name)
  }
  return plain
    .map(({ name }) => ({ name, hashed: winners.get(name.replaceAll("-", "_")) !== name }))
    .sort((a, b) => (sortable(a) < sortable(b) ? -1 : 1))
    .map(({ name, hashed }) => (hashed ? expect.stringMatching(new RegExp(`^${name}_[0-9][0-9a-z]{8}$`)) : name))
}

/** A hash begins with a digit, which sorts before letters and `_`. */
function sortable({ name, hashed }: { name: string; hashed: boolean }): string {
  return hashed ? `${name}_0` : name
}
