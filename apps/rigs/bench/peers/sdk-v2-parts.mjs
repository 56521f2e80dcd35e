// A server on the SDK's low-level API, as its documentation recommends for tools that come and go.
import { fromJsonSchema, Server } from "@modelcontextprotocol/server"
import { add, addCard, allTools, BOARD_URI, board } from "../src/workload.mjs"

const input = fromJsonSchema(add.inputSchema)

/** The tools, and a function that creates their server. */
export function createApplication({ tools }) {
  const lists = allTools(tools)
  let on = false
  const listed = () => (on ? lists.with : lists.without)
  return {
    listed,
    toggle() {
      on = !on
    },
    createServer() {
      const capabilities = { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } }
      const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities })
      server.setRequestHandler("tools/list", async () => ({ tools: listed() }))
      server.setRequestHandler("tools/call", async ({ params }) => call(params))
      server.setRequestHandler("resources/list", async () => ({ resources: [{ uri: BOARD_URI, name: "board" }] }))
      server.setRequestHandler("resources/read", async ({ params: { uri } }) => ({
        contents: [{ uri, mimeType: "application/json", text: JSON.stringify(board) }],
      }))
      return server
    },
  }
}

async function call({ name, arguments: args = {} }) {
  if (name === "echo") return text({ text: args.text })
  if (name === "read_board") return text(board)
  const checked = await input["~standard"].validate(args)
  if (checked.issues) return { content: [{ type: "text", text: "invalid" }], isError: true }
  const structuredContent = addCard(checked.value)
  return { ...text(structuredContent), structuredContent }
}

function text(value) {
  return { content: [{ type: "text", text: JSON.stringify(value) }] }
}
