// `pnpm bench:tokens`: what the same task costs a model in tokens, by exposure, with and without catch-up, and against a server of
// the SDK alone, with the same actions as tools: six steps on the board, and twelve in an office of two hundred tools.
import { Client } from "@modelcontextprotocol/client"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { getEncoding } from "js-tiktoken"
import { createBoardStore } from "../dist/board/create-board-store.js"
import { createBoardService } from "../dist/services/create-board-service.js"
import { createOffice, OFFICE_TASK } from "./office.mjs"
import { connectRawBoard, connectRawOffice } from "./raw-server.mjs"

/** What a model does on the board: the tool, what it is given, and the words that it would look for it with. */
const BOARD_TASK = [
  ["add", { title: "Water the plants" }, "add card"],
  ["undo", {}, "take back last change"],
  ["open_card", { id: "c3" }, "open card"],
  ["open__comment", { text: "Seen on two more pages" }, "comment on the open card"],
  ["open__complete", {}, "complete the open card"],
  ["archive", {}, "archive finished cards"],
]

// The tokenizer of the GPT-4o family; others count a little otherwise, but alike for all rows.
const encoding = getEncoding("o200k_base")
const encode = (text) => encoding.encode(text)

await compare("Six steps on the board", {
  task: BOARD_TASK,
  connectRaw: connectRawBoard,
  create: () => createBoardService(createBoardStore()),
})
await compare("Twelve steps in an office of two hundred tools", {
  task: OFFICE_TASK,
  connectRaw: () => connectRawOffice(createOffice()),
  create: () => createOffice().service,
})

async function compare(title, { task, connectRaw, create }) {
  const rows = [await measure("the SDK alone", { task }, { transport: await connectRaw(), close: () => {} })]
  for (const exposure of ["dynamic", "stable", "meta"]) {
    for (const catchUp of [false, true])
      rows.push(
        await measure(exposure, { task, exposure, catchUp }, connect(create(), { exposure, results: { catchUp } })),
      )
  }
  console.log(`\n${title}\n`)
  console.log(
    "| exposure | catch-up | tools at first | list, tokens | lists seen | calls | calls and results, tokens | read in all, tokens |",
  )
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- |")
  for (const row of rows) console.log(`| ${Object.values(row).join(" | ")} |`)
}

function connect(service, options) {
  const adapter = createMcpAdapter(service)
  return { transport: connectInMemory(adapter, options), close: adapter.close }
}

async function measure(name, options, { transport, close }) {
  const client = new Client({ name: "bench", version: "0" })
  await client.connect(transport)
  const lists = [await list(client)]
  const sizes = [encode(lists[0].text).length]
  const spent = { calls: 0, tokens: 0, read: 0 }
  const call = async (tool, args) => {
    const { content, isError } = await client.callTool({ name: tool, arguments: args })
    const text = content.map((block) => block.text ?? "").join("\n")
    if (isError) throw new Error(`${tool}: ${text}`)
    spent.calls += 1
    // A model reads the list, and all that was said before, at every turn.
    spent.read += sizes.at(-1) + spent.tokens
    spent.tokens += count({ name: tool, arguments: args }) + encode(text).length
    return content[0].text
  }
  for (const [tool, args, words] of options.task) {
    if (options.exposure === "meta") await findAndRun(call, { tool, args, words })
    else await call(tool, args)
    const next = await list(client)
    if (next.text === lists.at(-1).text) continue
    lists.push(next)
    sizes.push(encode(next.text).length)
  }
  await client.close()
  close()
  const [{ tools }] = lists
  const catchUp = options.catchUp ? "yes" : "no"
  return {
    name,
    catchUp,
    tools,
    list: sizes[0],
    lists: lists.length,
    calls: spent.calls,
    spent: spent.tokens,
    read: spent.read,
  }
}

/** What a model does that sees but a few tools. */
async function findAndRun(call, { tool, args, words }) {
  const { actions } = JSON.parse(await call("find_actions", { query: words }))
  const found = actions.find(({ name }) => name === tool)
  if (found === undefined) throw new Error(`"${tool}" is not found for "${words}"`)
  await call(found.runWith, { name: tool, arguments: args })
}

async function list(client) {
  const { tools } = await client.listTools()
  return { tools: tools.length, text: JSON.stringify(tools) }
}

function count(json) {
  return encode(JSON.stringify(json)).length
}
