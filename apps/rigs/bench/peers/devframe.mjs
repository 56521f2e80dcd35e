import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { createMcpFetchHandler } from "@devframes/agentic/mcp"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createHostContext } from "devframe/node"
import { add, addCard, board, echo, listedTools, readBoard, TOGGLED } from "../src/workload.mjs"

export async function serve({ tools }) {
  const context = await createHostContext({
    cwd: tmpdir(),
    mode: "dev",
    host: { mountStatic() {}, resolveOrigin: () => "mcp://bench", getStorageDir: () => tmpdir() },
  })
  const put = ({ name, ...tool }, handler) =>
    context.agent.registerTool({ id: name, safety: "action", ...tool, handler })
  for (const tool of listedTools(tools)) put(tool, () => "")
  put(echo, ({ text }) => ({ text }))
  put(readBoard, () => board)
  put(add, addCard)
  context.agent.registerResource({ id: "board", name: "board", read: () => ({ text: JSON.stringify(board) }) })
  let toggled
  const { fetch } = createMcpFetchHandler(context, {
    serverName: "bench",
    serverVersion: "1.0.0",
    exposeSharedState: false,
    allowedOrigins: false,
  })
  const server = createServer(toNodeHandler({ fetch }))
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    names: { board: "devframe://resource/board" },
    toggle() {
      if (toggled === undefined) toggled = put({ ...listedTools(1)[0], name: TOGGLED }, () => "")
      else {
        toggled.unregister()
        toggled = undefined
      }
    },
  }
}
