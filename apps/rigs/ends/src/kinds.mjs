import { createChatService } from "@x/chat-service"
import { serveHttp, toNodeHandler } from "@x/mcp-adapter/http"
import { fromMessagePort } from "@x/service-wire/message-port"
import { holdClient, holdEvents, listen, makeAdapter, makeService, makeSilentService } from "./parts.mjs"

export const make = (silent) => (silent ? makeSilentService() : makeService())

/** A feed without content. */
export const FEED = { connect: () => () => {}, spoken: () => true, find: () => undefined, keys: () => [] }

/** Follows a service, as an adapter does. */
export async function follow(service) {
  const subscriptions = ["states", "actions", "links"].map((map) => service[map].subscribe())
  return () => {
    for (const each of subscriptions) each.unsubscribe()
  }
}

/** A service without dependencies. */
export const service = (create) => ({ open: async ({ silent } = {}) => ({ it: create(silent), use: follow }) })

/** A case that depends on an adapter only. */
export const onAdapter = (create, use) => ({
  async open({ silent } = {}) {
    const { adapter, under } = makeAdapter(make(silent))
    return { it: await create(adapter), under, use: use && ((it) => use(it, adapter)) }
  },
})

/** A case of a handler for Node's requests, which also depends on an HTTP server of the application. */
export const onServer = (create, hold) => ({
  async open({ silent } = {}) {
    const { adapter, under } = makeAdapter(make(silent))
    const it = create(adapter)
    const { port, end } = await listen((request, response) => it.handle(request, response))
    return { it, under: [end, ...under], use: () => hold(`http://127.0.0.1:${port}`) }
  },
})

/** A case of a `fetch` handler, used by reading a stream until it ends. */
export const onFetch = (create, path) =>
  onAdapter(create, async (it) => {
    const leave = new AbortController()
    const headers = { accept: "text/event-stream", host: "localhost", "x-api-key": "0123456789abcdef" }
    const { body } = await it.fetch(new Request(`http://localhost${path}`, { headers, signal: leave.signal }))
    body
      ?.getReader()
      .read()
      .catch(() => {})
    return () => leave.abort()
  })

/** A case of an endpoint, used through one transport. */
export const onEndpoint = (create, hold) => ({
  async open({ silent } = {}) {
    const { adapter, under } = makeAdapter(make(silent))
    const it = create(adapter)
    const { handle } = toNodeHandler(it)
    const { port, end } = await listen(handle)
    return { it, under: [end, ...under], use: () => hold(`http://127.0.0.1:${port}`) }
  },
})

export const mcp = (base) => holdClient(`${base}/mcp`)
export const live = (base) => holdEvents(`${base}/live/events`)
export const keys = new Map([["0123456789abcdef", { id: "ann" }]])

/** Calls an agent over HTTP without waiting for the answer. */
const ask = async (base) => {
  const leave = new AbortController()
  const params = { name: "chat", arguments: { messages: [{ role: "user", content: "hello" }] } }
  await fetch(`${base}/v1/chat`, {
    method: "POST",
    signal: leave.signal,
    headers: { "content-type": "application/json", "x-api-key": "0123456789abcdef" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  })
  return () => leave.abort()
}

export const makeChat = () => createChatService({ name: "guide", description: "Greets", respond: () => "Hello" })

/** A case of an agent over HTTP, which depends on the adapter of an agent. */
export const onChat = (create) => ({
  async open() {
    const { adapter, under } = makeAdapter(makeChat())
    const it = create(adapter)
    const { port, end } = await listen(it.handle ?? toNodeHandler(it).handle ?? (() => {}))
    return { it, under: [end, ...under], use: () => ask(`http://127.0.0.1:${port}`) }
  },
})

/** Serves MCP as the upstream of another service. */
async function serveUpstream(silent) {
  const { adapter, under } = makeAdapter(make(silent))
  const server = await serveHttp(adapter, { port: 0 })
  return { url: server.url, under: [() => server.close(), ...under] }
}

export const upstream = (create) => ({
  async open({ silent } = {}) {
    const { url, under } = await serveUpstream(silent)
    return { it: await create(url), under, use: (it) => follow(it.service ?? it) }
  },
})

/** A case of two connected ports, with a service at one port. */
export const wire = (create, use) => ({
  async open({ silent } = {}) {
    const { port1, port2 } = new MessageChannel()
    const offered = make(silent)
    const { it, other } = create(offered, [fromMessagePort(port1), fromMessagePort(port2)])
    return { it, under: [() => other.close(), () => offered.close()], use }
  },
})

/** Defines the parts of a browser that the page's code needs. */
export function makeBrowser() {
  const events = new EventTarget()
  globalThis.document = Object.assign(new EventTarget(), {
    title: "",
    visibilityState: "visible",
    hasFocus: () => true,
  })
  globalThis.addEventListener = events.addEventListener.bind(events)
  globalThis.removeEventListener = events.removeEventListener.bind(events)
}
