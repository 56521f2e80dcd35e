import { RESULTS } from "./app.mjs"

const KINDS = Object.keys(RESULTS)

/**
 * Creates the model's script, one call a turn: every kind of result, a call that makes a new action appear, that action by its
 * own name or by `run_action`, an action of an item of a collection, and one that asks a person. Records the tools that the host offered and the results.
 */
export function createScript(exposure) {
  const seen = {
    ...{ offered: undefined, results: {}, bloomAfter: undefined, erase: undefined, bloom: undefined },
    ...{ labelledBy: undefined, label: undefined },
  }
  let asked = 0
  let grownAt
  const steps = [
    ...KINDS.map((kind) => ({ tool: "give", args: { kind }, note: (result) => (seen.results[kind] = result) })),
    {
      tool: "grow",
      args: {},
      note: () => {
        grownAt = asked
      },
    },
    { tool: "give", args: { kind: "object" }, note: () => undefined },
    { tool: "give", args: { kind: "object" }, note: () => undefined },
    { tool: "bloom", args: {}, note: (result) => (seen.bloom = result) },
    { ...LABEL[exposure], note: (result) => (seen.label = result) },
    { tool: "erase", args: {}, note: (result) => (seen.erase = result) },
  ]
  let done = -1
  let searched = false
  /** Asks for hidden tools: some hosts show only a tool's name until the model searches for it. */
  const find = (tools) => {
    const search = tools.find(({ name }) => SEARCH.test(name))
    if (search === undefined || searched) return { text: "There is nothing to do." }
    searched = true
    return { call: { id: "call_search", name: search.name, args: { query: `select:${HIDDEN}`, max_results: 20 } } }
  }
  const act = (tools) => {
    const step = steps[done]
    if (step === undefined) return { text: "All is done." }
    const call = toCall(step, tools, `call_${done}`)
    if (step.tool === LABEL[exposure].tool) seen.labelledBy = call.name
    return { call }
  }
  return {
    seen,
    next({ tools: offered, results }) {
      const tools = searched ? withHidden(offered) : offered
      if (!tools.some(({ name }) => isCalled(name, "give"))) return find(tools)
      asked += 1
      seen.offered ??= tools
      if (done >= 0 && results.length > 0) steps[done]?.note(results.at(-1))
      const bloom = tools.find(({ name }) => isCalled(name, "bloom"))
      if (grownAt !== undefined && bloom && seen.bloomAfter === undefined) seen.bloomAfter = asked - grownAt
      done += 1
      return act(tools)
    },
  }
}

/** How the model labels the red shelf in each exposure. */
const LABEL = {
  dynamic: { tool: "shelves__red__label", args: { text: "sold" } },
  grouped: { tool: "shelves__label", args: { item: "red", text: "sold" } },
}

/** Playable exposures. */
export const EXPOSURES = Object.keys(LABEL)

const SEARCH = /^(?:ToolSearch|tool_search)$/
const HIDDEN = [
  ...["give", "grow", "erase", "run_action", "get_state"],
  ...Object.values(LABEL).map(({ tool }) => tool),
].map((name) => `mcp__app__${name}`)

/** Adds hidden tools if the host has a tool that calls them. */
export function withHidden(tools, hidden = HIDDEN) {
  const caller = tools.find(({ name }) => name === "tool_call")
  return caller === undefined ? tools : [...tools, ...hidden.map((name) => ({ name, by: caller.name }))]
}

/** Returns the model's call of a tool, by the name that the host offers. */
export function toCall({ tool, args }, tools, id) {
  const own = tools.find(({ name }) => isCalled(name, tool))
  if (own?.by) return { id, name: own.by, args: { name: own.name, arguments: args } }
  if (own) return { id, name: own.name, namespace: own.namespace, args }
  const run = tools.find(({ name }) => isCalled(name, "run_action"))
  if (run.by) return toCall({ tool: "run_action", args: { name: tool, arguments: args } }, tools, id)
  return { id, name: run.name, namespace: run.namespace, args: { name: tool, arguments: args } }
}

/** Matches a tool's name with or without the host's prefix for the server. */
export function isCalled(name, tool) {
  return new RegExp(`(?:^|[^a-z])${tool}$`).test(name)
}
