import { RESULTS } from "./app.mjs"

const KINDS = Object.keys(RESULTS)

/**
 * What the model does, one call a turn: every kind of result, then something that makes an action appear, then that action by its
 * own name or by `run_action`, then what asks a person. Notes what the host offered and handed back.
 */
export function createScript() {
  const seen = { offered: undefined, results: {}, bloomAfter: undefined, erase: undefined, bloom: undefined }
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
    { tool: "erase", args: {}, note: (result) => (seen.erase = result) },
  ]
  let done = -1
  let searched = false
  /** Some hosts offer tools by name alone, until their model asks for them. */
  const find = (tools) => {
    const search = tools.find(({ name }) => SEARCH.test(name))
    if (search === undefined || searched) return { text: "There is nothing to do." }
    searched = true
    return { call: { id: "call_search", name: search.name, args: { query: `select:${HIDDEN}`, max_results: 20 } } }
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
      const step = steps[done]
      if (step === undefined) return { text: "All is done." }
      return { call: toCall(step, tools, `call_${done}`) }
    },
  }
}

const SEARCH = /^(?:ToolSearch|tool_search)$/
const HIDDEN = ["give", "grow", "erase", "run_action", "get_state"].map((name) => `mcp__app__${name}`)

/** Where a host calls what it has shown by a tool of its own, that counts as offered. */
function withHidden(tools) {
  const caller = tools.find(({ name }) => name === "tool_call")
  return caller === undefined ? tools : [...tools, ...HIDDEN.map((name) => ({ name, by: caller.name }))]
}

function toCall({ tool, args }, tools, id) {
  const own = tools.find(({ name }) => isCalled(name, tool))
  if (own?.by) return { id, name: own.by, args: { name: own.name, arguments: args } }
  if (own) return { id, name: own.name, namespace: own.namespace, args }
  const run = tools.find(({ name }) => isCalled(name, "run_action"))
  if (run.by) return toCall({ tool: "run_action", args: { name: tool, arguments: args } }, tools, id)
  return { id, name: run.name, namespace: run.namespace, args: { name: tool, arguments: args } }
}

/** Hosts put the server's name before. */
function isCalled(name, tool) {
  return new RegExp(`(?:^|[^a-z])${tool}$`).test(name)
}
