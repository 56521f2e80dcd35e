// `pnpm bench tokens`: prints the tokens that a model reads for a task, by exposure, with and without catch-up, and with servers
// that offer the same application without us: a tool per action with the SDK, and a tool per verb in FastMCP's style. The tasks
// are six steps on the board, and twelve in an office of two hundred tools. It fails if a limit is exceeded.
import { Client } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { getEncoding } from "js-tiktoken"
import { createBoardStore } from "../dist/board/create-board-store.js"
import { createBoardService } from "../dist/services/create-board-service.js"
import { createOffice, OFFICE_TASK } from "./office.mjs"
import { connectRawBoard, connectRawOffice } from "./raw-server.mjs"
import { connectVerbBoard, connectVerbOffice } from "./verb-server.mjs"

/** A model's calls on the board: tool name, arguments and search words. */
const BOARD_TASK = [
  ["add", { title: "Water the plants" }, "add card"],
  ["undo", {}, "take back last change"],
  ["open_card", { id: "c3" }, "open card"],
  ["open__comment", { text: "Seen on two more pages" }, "comment on the open card"],
  ["open__complete", {}, "complete the open card"],
  ["archive", {}, "archive finished cards"],
]

/** The same task where each tool takes the ids that it needs. */
const VERB_BOARD_TASK = [
  ["add_card", { title: "Water the plants" }],
  ["undo", {}],
  ["comment_on_card", { card: "c3", text: "Seen on two more pages" }],
  ["complete_card", { card: "c3" }],
  ["archive", {}],
]

/**
 * The most tokens in `grouped`: of the first list, and of everything that a model reads until the task is done, in a host that
 * keeps the first list and in one that lists again after every change.
 */
const LIMITS = {
  board: { list: 700, kept: 5_000, again: 6_200 },
  office: { list: 2_500, kept: 23_000, again: 23_500 },
}

// The tokenizer of the GPT-4o family. Other tokenizers give slightly different counts, but in the same way for all rows.
const encoding = getEncoding("o200k_base")
const count = (json) => encoding.encode(typeof json === "string" ? json : JSON.stringify(json)).length

const faults = [
  ...(await compare("Six steps on the board", {
    limits: LIMITS.board,
    task: BOARD_TASK,
    connectRaw: connectRawBoard,
    verbs: { task: VERB_BOARD_TASK, connect: connectVerbBoard, look: () => ["get_board", {}] },
    create: () => createBoardService(createBoardStore()),
  })),
  ...(await compare("Twelve steps in an office of two hundred tools", {
    limits: LIMITS.office,
    task: OFFICE_TASK,
    connectRaw: () => connectRawOffice(createOffice()),
    verbs: {
      task: OFFICE_TASK.map(toVerb),
      connect: () => connectVerbOffice(createOffice()),
      look: ([, { project }]) => ["get_project", { project }],
    },
    create: () => createOffice().service,
  })),
]
for (const fault of faults) console.error(`✗ ${fault}`)
if (faults.length > 0) process.exitCode = 1

/** Returns a step of the office as the call of a verb. */
function toVerb([name, args]) {
  const [, project, verb] = name.split("__")
  return [verb, { project, ...args }]
}

async function compare(title, { limits, task, connectRaw, verbs, create }) {
  const raw = async (name, options, open) => measure(name, options, { transport: await open(), close: () => {} })
  const rows = [
    await raw("the SDK, a tool per action", { task }, connectRaw),
    await raw("FastMCP's style, a tool per verb", verbs, verbs.connect),
    await raw("the same, reading after each step", { ...verbs, looks: true }, verbs.connect),
  ]
  for (const exposure of ["dynamic", "stable", "meta", "grouped"]) {
    const row = (options) =>
      measure(
        `\`${exposure}\`${options.keeps ? ", first list kept" : ""}`,
        { task, exposure, ...options },
        connect(create(), { exposure, results: { catchUp: options.catchUp } }),
      )
    rows.push(await row({ catchUp: false }), await row({ catchUp: true }))
    // A host that never lists again learns of new actions from results, and runs them with `run_action`.
    if (exposure === "dynamic" || exposure === "grouped") rows.push(await row({ catchUp: true, keeps: true }))
  }
  console.log(`\n${title}\n`)
  console.log(
    "| server | catch-up | tools at first | list, tokens | lists seen | calls | calls and results, tokens | read in all, tokens |",
  )
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- |")
  for (const row of rows) console.log(`| ${Object.values(row).map(toCell).join(" | ")} |`)
  const [again, kept] = rows.slice(-2)
  return [
    ...overLimit(`${title}: the list of \`grouped\``, kept.list, limits.list),
    ...overLimit(`${title}: the task in \`grouped\` with the first list`, kept.read, limits.kept),
    ...overLimit(`${title}: the task in \`grouped\` with lists read again`, again.read, limits.again),
  ]
}

function toCell(value) {
  return typeof value === "number" ? value.toLocaleString("en") : value
}

function overLimit(what, tokens, limit) {
  return tokens <= limit ? [] : [`${what} is ${tokens} tokens, expected at most ${limit}`]
}

function connect(service, options) {
  const adapter = createMcpAdapter(service)
  return { transport: connectInMemory(adapter, options), close: adapter.close }
}

async function measure(name, options, { transport, close }) {
  const client = new Client({ name: "bench", version: "0" })
  await client.connect(transport)
  const lists = [await list(client)]
  const spent = { calls: 0, tokens: 0, read: 0 }
  const call = async (tool, args) => {
    const { content, isError } = await client.callTool({ name: tool, arguments: args })
    const text = content.map((block) => block.text ?? "").join("\n")
    if (isError) throw new Error(`${tool}: ${text}`)
    spent.calls += 1
    // A model reads the tool list and the whole conversation at every turn.
    spent.read += lists.at(-1).tokens + spent.tokens
    spent.tokens += count({ name: tool, arguments: args }) + count(text)
    return content[0].text
  }
  for (const step of options.task) {
    await take(call, step, { ...options, names: lists.at(-1).names })
    if (options.looks) await call(...options.look(step))
    const next = options.keeps ? lists[0] : await list(client)
    if (next.text !== lists.at(-1).text) lists.push(next)
  }
  await client.close()
  close()
  return {
    name,
    catchUp: options.exposure === undefined ? "" : options.catchUp ? "yes" : "no",
    tools: lists[0].names.length,
    list: lists[0].tokens,
    lists: lists.length,
    calls: spent.calls,
    spent: spent.tokens,
    read: spent.read,
  }
}

/** Makes the calls of one step as a model does that sees these tools. */
async function take(call, [tool, args, words], { exposure, names }) {
  if (exposure === "meta") return findAndRun(call, { tool, args, words })
  // A tool of several items takes the item.
  const [collection, item, ...rest] = tool.split("__")
  const grouped = [collection, ...rest].join("__")
  const isOfItem = exposure === "grouped" && rest.length > 0 && collection !== "open"
  const [name, given] = isOfItem ? [grouped, { item, ...args }] : [tool, args]
  return names.includes(name) || exposure === undefined
    ? call(name, given)
    : call("run_action", { name, arguments: given })
}

/** Makes the calls of a model that sees only a few tools. */
async function findAndRun(call, { tool, args, words }) {
  const { actions } = JSON.parse(await call("find_actions", { query: words }))
  const found = actions.find(({ name }) => name === tool)
  if (found === undefined) throw new Error(`"${tool}" is not found for "${words}"`)
  await call(found.runWith, { name: tool, arguments: args })
}

/** Lists the tools as hosts hand them to a model, which sees no titles, hints or output schemas. */
async function list(client) {
  const { tools } = await client.listTools()
  const text = JSON.stringify(
    tools.map(({ name, description, inputSchema: { $schema: _, ...parameters } }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  )
  return { names: tools.map(({ name }) => name), text, tokens: count(text) }
}
