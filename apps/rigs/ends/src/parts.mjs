// The parts of the cases: services, servers, and users of the objects to be closed.
import { once } from "node:events"
import { createServer } from "node:http"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { action, createAgenticService, link, state, toAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { interval, NEVER } from "rxjs"
import { WebSocket } from "ws"

/** Creates a service whose state changes constantly, and which holds a timer while it has a subscriber. */
export function makeService(name = "board") {
  const child = createAgenticService({
    name: "child",
    states: { ticks: state({ description: "Ticks", schema: { type: "number" }, value: interval(20) }) },
  })
  return createAgenticService({
    name,
    states: { ticks: state({ description: "Ticks", schema: { type: "number" }, value: interval(20) }) },
    actions: { greet: action({ description: "Greets", execute: () => ({ text: "hello" }) }) },
    links: { child: link({ description: "A child", service: child }) },
  })
}

/** Creates a service that never emits its members, so that everything that waits for it never becomes ready. */
export function makeSilentService() {
  return toAgenticService({ name: "silent", states: NEVER, actions: NEVER, links: NEVER, execute: () => undefined })
}

/** Creates an adapter. `under` closes the adapter, then its service. */
export function makeAdapter(service = makeService()) {
  const adapter = createMcpAdapter(service)
  return { adapter, under: [() => adapter.close(), () => service.close()] }
}

/** Serves a handler on a free port of this machine. `end` also closes all open connections. */
export async function listen(handle) {
  const server = createServer(handle)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const end = () => {
    server.close()
    server.closeAllConnections()
  }
  return { server, port: server.address().port, end }
}

/** Connects a client that keeps a stream open. */
export async function holdClient(url, headers = {}) {
  const client = new Client({ name: "holder", version: "0.0.0" })
  client.onerror = () => {}
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  await client.listTools()
  return () => client.close().catch(() => {})
}

/** Opens a stream of events and reads it until it ends. */
export async function holdEvents(url) {
  const leave = new AbortController()
  const { body } = await fetch(url, { signal: leave.signal })
  const reader = body.getReader()
  await reader.read()
  const read = async () => {
    for (let done = false; !done; ) ({ done } = await reader.read())
  }
  read().catch(() => {})
  return () => leave.abort()
}

/** Opens a WebSocket, as a page does, and never closes it. */
export async function holdSocket(url, protocols, headers = {}) {
  const socket = new WebSocket(url, protocols, { headers })
  socket.on("error", () => {})
  await once(socket, "open")
  return () => socket.terminate()
}
