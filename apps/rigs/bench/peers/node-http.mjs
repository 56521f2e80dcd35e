// The lower bound: plain `node:http` that parses each body and sends prepared bytes.
import { createServer } from "node:http"
import { allTools, board } from "../src/workload.mjs"

export async function serve({ tools }) {
  let on = false
  const lists = allTools(tools)
  const list = () => toBytes({ tools: on ? lists.with : lists.without, ttlMs: 0, cacheScope: "public" })
  const said = toBytes({ content: [{ type: "text", text: JSON.stringify({ text: "hello" }) }] })
  const read = toBytes({
    contents: [{ uri: "bench://board", mimeType: "application/json", text: JSON.stringify(board) }],
  })
  let listed = list()
  const answers = { "tools/list": () => listed, "tools/call": () => said, "resources/read": () => read }
  const server = createServer((request, response) => {
    // A stream that never sends an event.
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": open\n\n")
      return
    }
    const parts = []
    request.on("data", (bytes) => parts.push(bytes))
    request.on("end", () => {
      const { method } = JSON.parse(Buffer.concat(parts).toString())
      const body = answers[method]()
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length })
      response.end(body)
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    toggle() {
      on = !on
      listed = list()
    },
  }
}

function toBytes(result) {
  return Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { ...result, resultType: "complete" } }))
}
