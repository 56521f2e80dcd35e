// Measures the CPU time of one request in the server's process, in microseconds, so that other load on the machine counts
// little. The servers of a row take turns in each round, so that a busy minute affects all of them.
import { startServer } from "./child.mjs"
import { contestants } from "./contestants.mjs"
import { modernRequest, openSession, openSocket, statelessRequest } from "./http-client.mjs"
import { BOARD_URI } from "./workload.mjs"

const CALL = { method: "tools/call", params: { name: "echo", arguments: { text: "hello" } } }
const ADD = { title: "Water the plants", count: 3, labels: ["home", "green"] }
const LIST = { method: "tools/list" }

/** CPU time of a round in microseconds. The number of requests is chosen to take about as long. */
const ROUND_MICROSECONDS = 150_000
/**
 * The requests of the warm-up, enough for V8 to compile the code that runs often: as many for each server, since a time would let
 * cheap servers warm up longer.
 */
export const WARM_UP = 10_000
const CONNECTIONS = 4

/**
 * The rows over HTTP: request, number of tools, requests of the warm-up if not {@link WARM_UP}, and whether all servers take part
 * or only those that the limits name.
 */
export const httpRows = {
  call: { title: "call", tools: 10, everybody: true, ask: () => CALL, has: /hello/ },
  "call-schemas": {
    title: "call, with schemas of input and output",
    tools: 10,
    ask: () => ({ method: "tools/call", params: { name: "add", arguments: ADD } }),
    has: /card-16/,
    without: ["node"],
  },
  "list-10": { title: "list of 10 tools", tools: 10, ask: () => LIST, has: /tool_00009/ },
  "list-100": { title: "list of 100", tools: 100, warmUp: 5_000, ask: () => LIST, has: /tool_00099/ },
  "list-1000": {
    title: "list of 1,000",
    tools: 1_000,
    warmUp: 1_000,
    everybody: true,
    ask: () => LIST,
    has: /tool_00999/,
  },
  "list-5000": { title: "list of 5,000", tools: 5_000, warmUp: 400, ask: () => LIST, has: /tool_04999/ },
  "list-1000-toggled": {
    title: "list of 1,000 after a change",
    tools: 1_000,
    warmUp: 1_000,
    ask: () => LIST,
    has: /tool_00999/,
    toggled: true,
  },
  "list-5000-toggled": {
    title: "list of 5,000 after a change",
    tools: 5_000,
    warmUp: 400,
    ask: () => LIST,
    has: /tool_04999/,
    toggled: true,
  },
  read: {
    title: "resource of 12 kB",
    tools: 10,
    ask: ({ board = BOARD_URI }) => ({ method: "resources/read", params: { uri: board } }),
    has: /Card 93/,
    without: ["devframe"],
  },
  "state-tool": {
    title: "state of 12 kB through a tool",
    tools: 10,
    ask: ({ boardTool = "read_board" }) => ({ method: "tools/call", params: { name: boardTool, arguments: {} } }),
    has: /Card 93/,
    without: ["node"],
  },
}

/** Measures one row. Returns each contestant's cost per request in every round. */
export async function measureHttp(row, names, { rounds }) {
  const all = []
  for (const name of names.filter((each) => !row.without?.includes(each))) all.push(await enter(name, row))
  const costs = Object.fromEntries(all.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    // The order rotates, so that no server always follows the heaviest one.
    const order = [...all.slice(round % all.length), ...all.slice(0, round % all.length)]
    for (const one of order) costs[one.name].push(await run(one, one.count))
  }
  for (const { server } of all) await server.stop()
  return costs
}

/** Starts a server and warms it up. */
async function enter(name, row) {
  const { file, era, meta, options } = contestants[name]
  const server = await startServer(file, { tools: row.tools, ...options })
  const make = { modern: modernRequest, stateless: statelessRequest }[era] ?? (await openSession(server.url)).request
  // Each connection has its own request id: some servers confuse requests of two connections that share one.
  const requests = Array.from({ length: CONNECTIONS }, (_, index) => {
    const request = make({ ...row.ask(server.names), id: index + 1, meta })
    return { ...request, headers: { ...request.headers, ...(row.toggled && { "x-bench-toggle": "1" }) } }
  })
  const one = { name, server, requests }
  const socket = await openSocket(server.url)
  const answer = await socket.post(requests[0])
  socket.close()
  if (!row.has.test(answer.text())) throw new Error(`${name} answered ${answer.head}\n${answer.text().slice(0, 500)}`)
  const { warmUp = WARM_UP } = row
  await run(one, warmUp)
  const cost = await run(one, clamp(warmUp / 10, 40, 400))
  return { ...one, count: clamp(Math.round(ROUND_MICROSECONDS / cost), 12, 2_000) }
}

/** Sends `count` requests over new connections, since some servers close idle ones. Returns the CPU time per request. */
async function run({ server, requests }, count) {
  const sockets = await Promise.all(requests.map(() => openSocket(server.url)))
  const before = await server.ask("cpu")
  let left = count
  const work = async (socket, index) => {
    const bytes = socket.prepare(requests[index])
    while (left > 0) {
      left -= 1
      await socket.send(bytes)
    }
  }
  await Promise.all(sockets.map(work))
  const after = await server.ask("cpu")
  for (const socket of sockets) socket.close()
  return (after - before) / count
}

function clamp(number, from, to) {
  return Math.min(Math.max(number, from), to)
}
