// A server of the legacy era in a few lines, that misbehaves as its environment says.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

const { env } = process
if (env.CRASH) process.exit(7)
if (env.TOKEN) process.stderr.write(`my token is ${env.TOKEN}\n`)
if (env.GRANDCHILD) {
  const { pid } = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
  process.stderr.write(`grandchild ${pid}\n`)
}
if (env.ESCAPED) {
  const { pid } = spawn(process.execPath, ["-e", "setTimeout(() => {}, 20_000)"], { stdio: "inherit", detached: true })
  process.stderr.write(`grandchild ${pid}\n`)
}
if (env.STUBBORN) {
  setInterval(() => {}, 1_000)
  process.on("SIGTERM", () => {})
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const schema = { type: "object" }
const tools = ["pid", "die"].map((name) => ({ name, inputSchema: schema }))

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "fake", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => {
    if (name === "die") process.exit(1)
    return { content: [{ type: "text", text: String(process.pid) }] }
  },
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  if (answer === undefined && env.SILENT) return
  if (answer === undefined) send({ id, error: { code: -32601, message: "no such method" } })
  else send({ id, result: answer(params) })
})
