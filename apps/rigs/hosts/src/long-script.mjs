import { setTimeout } from "node:timers/promises"
import { action } from "@x/agentic-service"
import { isCalled, toCall, withHidden } from "./script.mjs"

/** How long the action takes, in milliseconds: longer than any host waits for an answer. */
const LONG = 90_000
/** The patience of the hosts that wait least, in milliseconds. */
const PATIENCE = 60_000

/**
 * Creates the script of a model that starts an action of 90 seconds and comes back for its result with the tool that the answer
 * names. Records what the model read, and when.
 */
export function createLongScript() {
  const seen = { offered: false, builds: 0, answers: [] }
  let searched = false
  let asked
  let called
  const build = action({
    description: "Builds the site, which takes a minute and a half",
    long: true,
    async execute(_input, { signal, progress }) {
      seen.builds += 1
      progress({ progress: 1, total: 3, message: "pages" })
      await setTimeout(LONG, undefined, { signal })
      return { state: RESULT }
    },
  })
  /** Notes what the model reads of its last call. Returns the text. */
  const note = (results) => {
    if (called === undefined) return undefined
    const { text } = results.at(-1) ?? {}
    seen.answers.push({ tool: called, text, ms: performance.now() - asked })
    return text
  }
  const next = ({ tools: offered, results }) => {
    const tools = searched ? withHidden(offered, NAMES) : offered
    const isOffered = tools.some(({ name }) => isCalled(name, "build"))
    const search = searched || isOffered ? undefined : tools.find(({ name }) => SEARCH.test(name))
    if (search !== undefined) {
      searched = true
      return { call: { id: "call_search", name: search.name, args: { query: `select:${NAMES}`, max_results: 20 } } }
    }
    seen.offered ||= isOffered
    const text = note(results)
    asked = performance.now()
    if (called === undefined) return call({ tool: "build", args: {} }, tools)
    const id = /[0-9a-f]{64}/.exec(seen.answers[0]?.text)?.[0]
    const goesOn = id !== undefined && !text?.includes(RESULT) && seen.answers.length <= MOST
    return goesOn ? call({ tool: "get_task", args: { id } }, tools) : { text: "All is done." }
  }
  const call = (step, tools) => {
    called = step.tool
    return { call: toCall(step, tools, `call_${seen.answers.length}`) }
  }
  return { seen, next, actions: { build } }
}

const NAMES = ["build", "get_task", "run_action"].map((name) => `mcp__app__${name}`)

const SEARCH = /^(?:ToolSearch|tool_search)$/

/** A text that only the result contains. */
const RESULT = "the site is built"

/** The most times that the model comes back. */
const MOST = 10

/** Judges a run: the first answer came in time, and the model read the result without a second build. */
export function judgeLong({ offered, builds, answers }) {
  const lines = answers.map(
    ({ tool, text = "nothing", ms }) =>
      `${tool}: after ${(ms / 1_000).toFixed(1)} s ${JSON.stringify(text.slice(0, 160))}`,
  )
  const faults = []
  if (!offered) faults.push("its model was not offered the long action")
  if (builds !== 1) faults.push(`the action ran ${builds} times, expected once`)
  if (!(answers[0]?.ms < PATIENCE)) faults.push("the call was not answered within 60 s")
  if (!answers.at(-1)?.text?.includes(RESULT)) faults.push("its model did not read the result")
  return { lines, faults }
}
