// A minimal legacy server that misbehaves as its environment variables say.
import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { createInterface } from "node:readline"

const { env } = process
if (env.CRASH) process.exit(7)
/** Exits at this point of the first run. */
const dieOnce = (where) => {
  if (env.DIES_ONCE !== where || existsSync(env.MARK)) return
  writeFileSync(env.MARK, "")
  process.exit(3)
}
dieOnce("start")
// The listener on that port notices our exit.
if (env.ALIVE) connect(Number(env.ALIVE), "127.0.0.1").unref()
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
const tools = ["pid", "die", ...(env.MORE ? ["big", "garbage", "flood"] : [])].map((name) => ({
  name,
  inputSchema: schema,
}))
const say = (text) => ({ content: [{ type: "text", text }] })
const flood = () => {
  for (let turn = 0; turn < 20_000; turn += 1) {
    send({ method: "notifications/tools/list_changed" })
    send({ method: "notifications/message", params: { level: "info", data: turn } })
    process.stderr.write(`line ${turn}\n`)
  }
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: "fake", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => {
    dieOnce("tools/list")
    return { tools }
  },
  "tools/call": ({ name, arguments: { size = 0 } = {} }) => {
    if (name === "die") process.exit(1)
    if (name === "big") return say("x".repeat(Number(size)))
    if (name === "garbage")
      process.stdout.write(`hello\n{\n[]\n\n\u0000\n{"jsonrpc":"1.0"}\n${"y".repeat(Number(size))}\n`)
    if (name === "flood") flood()
    return say(String(process.pid))
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
