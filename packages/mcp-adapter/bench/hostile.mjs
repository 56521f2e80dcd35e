// `pnpm bench hostile`: measures each hostile request's cost for a server: processor time beside a plain request's, and bytes
// read of those offered. The server has its own process. Medians.
import { fork } from "node:child_process"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { createBoard } from "../test/support/board.mjs"
import { hostile, plain, send } from "../test/support/hostile.mjs"

const ROUNDS = Number(process.argv[2] ?? 5)
/** Microseconds of processor time per row and round: the server's clock counts in tens of milliseconds. */
const ENOUGH = 60_000
const MOST = 400

if (process.argv[2] === "serve") await serve()
else await measure()

async function serve() {
  const adapter = createMcpAdapter(createBoard().service)
  // Keeps diagnostics off the console, which is not to be measured.
  adapter.events.subscribe()
  const { url, server } = await serveHttp(adapter, { port: 0, requestRate: false })
  let read = 0
  server.on("connection", (socket) => socket.once("close", () => (read += socket.bytesRead)))
  process.on("message", () => {
    const { user, system } = process.cpuUsage()
    process.send({ cpu: user + system, read })
  })
  process.on("disconnect", () => process.exit(0))
  process.send(Number(new URL(url).port))
}

async function measure() {
  const child = fork(import.meta.filename, ["serve"], { env: { ...process.env, NODE_ENV: "production" } })
  const next = () => new Promise((resolve) => child.once("message", resolve))
  const port = await next()
  const ask = () => {
    const answer = next()
    child.send("usage")
    return answer
  }
  const rows = [plain, ...hostile].map((row) => ({ row, costs: [], reads: [] }))
  // The first round is a warm-up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { row, costs, reads } of rows) {
      const { cpu, read } = await cost({ port, row, ask }, round === 0 ? 1 : undefined)
      if (round === 0) continue
      costs.push(cpu)
      reads.push(read)
    }
  }
  child.disconnect()
  const [first] = rows
  const usual = median(first.costs)
  console.log("   µs  × a plain one    bytes read")
  for (const { row, costs, reads } of rows) {
    const own = median(costs)
    const columns = [own.toFixed(0).padStart(5), `${(own / usual).toFixed(1)}`.padStart(14)]
    console.log([...columns, String(Math.round(median(reads))).padStart(14), ` ${row.name}`].join(""))
  }
}

async function cost({ port, row, ask }, times) {
  const before = await ask()
  let sent = 0
  let after = before
  while (sent < (times ?? MOST) && (times !== undefined || after.cpu - before.cpu < ENOUGH)) {
    for (let index = 0; index < (times ?? 20); index += 1) await send(port, row)
    sent += times ?? 20
    after = await ask()
  }
  return { cpu: (after.cpu - before.cpu) / sent, read: (after.read - before.read) / sent }
}

function median(values) {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)]
}
