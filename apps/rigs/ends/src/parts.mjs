// What the cases are made of: services, servers, and those who hold on to what is about to be closed.
import { once } from "node:events"
import { createServer } from "node:http"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { action, createAgenticService, link, state, toAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { interval, NEVER } from "rxjs"
import { WebSocket } from "ws"

/** A service whose state changes all the time, and which holds a timer while somebody looks. */
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

/** A service that does not say what it has: nothing that waits for it is ever ready. */
export function makeSilentService() {
  return toAgenticService({ name: "silent", states: NEVER, actions: NEVER, links: NEVER, execute: () => undefined })
}

/** An adapter, and its end as something that others stand on. */
export function makeAdapter(service = makeService()) {
  const adapter = createMcpAdapter(service)
  return { adapter, under: [() => adapter.close(), () => service.close()] }
}

/** Listens on a free port of this machine with a handler, and ends with everything that is open. */
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
