// Measures a page's cost: from a click to a client's notice, and a call through the page, alone and beside 1,000 other pages on
// the same host. The host runs in its own process, pages and clients in this one. Pages use real WebSockets.
import { fork } from "node:child_process"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { action, createAgenticService } from "@x/agentic-service"
import { offerService } from "@x/service-wire"
import { fromWebSocket } from "@x/service-wire/websocket"
import { BehaviorSubject } from "rxjs"
import { WebSocket } from "ws"
// The frames between pages and hosts are private, so they are not exported.
import { PROTOCOL, partChannel } from "../dist/bridge-frames.js"

const PAGES = 1_000
const CALLS = 300
const ROUNDS = 9
/** Calls before measuring, until the host's code is optimized. */
const WARM_UP = 1_500
const CLICKS = 40
/** The pause between two notices, in milliseconds. */
const REST_MS = 80
/** How much more a call may cost beside 1,000 pages. */
const MOST = 1.3

const host = await startHost()
const board = createBoard()
await openPage(board.service, "user0")
const client = await connect("user0")
await client.listTools()

const notices = []
for (let click = 0; click < CLICKS; click += 1) notices.push(await timeNotice())
console.log(`from a click in a page to the notice at a client over HTTP: ${show(median(notices))} ms`)

const alone = await measureCalls()
const before = await host.ask("heap")
for (let index = 1; index < PAGES; index += 1) {
  const user = `user${index}`
  await openPage(createBoard().service, user)
  // List each page once, so that its full cost is allocated.
  await host.ask("list", user)
}
const held = ((await host.ask("heap")) - before) / (PAGES - 1) / 1_000
const beside = await measureCalls()
const ratio = beside.cpu / alone.cpu
console.log(`a call through a page over HTTP: ${show(alone.ms)} ms, ${Math.round(alone.cpu)} µs of the host's CPU`)
console.log(
  `the same beside ${PAGES} pages: ${show(beside.ms)} ms, ${Math.round(beside.cpu)} µs of CPU: ${show(ratio)} ×, at most ${MOST}`,
)
console.log(`a page of one user, with what its model was shown: ${show(held)} kB of the host's heap`)
if (ratio > MOST) process.exitCode = 1
host.stop()
setTimeout(() => process.exit(), 100)

function createBoard() {
  const on = new BehaviorSubject(false)
  const actions = Array.from({ length: 8 }, (_, index) => [
    `tool${index}`,
    action({ description: "Runs the task", execute() {} }),
  ])
  const service = createAgenticService({
    name: "board",
    actions: {
      ...Object.fromEntries(actions),
      add: action({
        description: "Add a card",
        input: { type: "object", properties: { title: { type: "string" } } },
        execute() {},
      }),
      undo: action({ description: "Undo it", when: on, execute() {} }),
    },
  })
  return { service, click: () => on.next(!on.value) }
}

/** Connects as a browser's page does. */
async function openPage(service, user) {
  const origin = `http://localhost:${host.port}`
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/mcp/pages`, [PROTOCOL], {
    headers: { host: `localhost:${host.port}`, origin, cookie: `user=${user}` },
    allowSynchronousEvents: false,
  })
  await new Promise((resolve, reject) => {
    socket.once("error", reject)
    const { wire, say } = partChannel(fromWebSocket(socket), {
      said({ t, reason }) {
        if (t !== "welcome") return reject(new Error(String(reason)))
        offerService(service, wire)
        resolve()
      },
      closed: (reason) => reject(new Error(reason)),
    })
    say({ t: "page", app: "board", tab: user, load: user, title: "Board", focused: true })
  })
}

async function connect(user) {
  const own = new Client({ name: "bench", version: "0" }, { versionNegotiation: { mode: "auto" } })
  const headers = { authorization: `Bearer ${user}` }
  await own.connect(new StreamableHTTPClientTransport(new URL(host.url), { requestInit: { headers } }))
  await own.listen({ toolsListChanged: true })
  return own
}

async function timeNotice() {
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const told = new Promise((resolve) => client.setNotificationHandler("notifications/tools/list_changed", resolve))
  const began = performance.now()
  board.click()
  await told
  const took = performance.now() - began
  // The next notice needs a client that has listed the change.
  await client.listTools()
  return took
}

async function measureCalls() {
  const costs = { ms: [], cpu: [] }
  const call = () => client.callTool({ name: "board__add", arguments: { title: "tea" } })
  for (let turn = 0; turn < WARM_UP; turn += 1) await call()
  for (let round = 0; round < ROUNDS; round += 1) {
    const cpu = await host.ask("cpu")
    const began = performance.now()
    for (let turn = 0; turn < CALLS; turn += 1) await call()
    costs.ms.push((performance.now() - began) / CALLS)
    costs.cpu.push(((await host.ask("cpu")) - cpu) / CALLS)
  }
  return { ms: median(costs.ms), cpu: median(costs.cpu) }
}

async function startHost() {
  const child = fork(new URL("host.mjs", import.meta.url), { execArgv: ["--expose-gc"] })
  const next = () => new Promise((resolve) => child.once("message", resolve))
  const ready = await next()
  return {
    ...ready,
    ask(what, of) {
      const answer = next()
      child.send({ what, of })
      return answer
    },
    stop: () => child.kill(),
  }
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

function show(number) {
  return number.toFixed(2)
}
