import { connect } from "node:net"

const VERSION = "2026-07-28"
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
}
const LEGACY = "2025-11-25"
/** The latest revision that every server without sessions has. */
const STATELESS = "2025-06-18"

/** Creates a request of the modern era, whose headers repeat values of its body. */
export function modernRequest({ method, params = {}, id = 1, meta }) {
  const name = params.name ?? params.uri
  return {
    headers: {
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...ENVELOPE, ...meta } } }),
  }
}

/** Creates a request of the legacy era outside any session. */
export function statelessRequest(message) {
  return { headers: { "mcp-protocol-version": STATELESS }, body: toBody(withMeta({ id: 1, ...message })) }
}

function withMeta({ meta, ...message }) {
  return meta === undefined ? message : { ...message, params: { ...message.params, _meta: meta } }
}

/** Opens a session of the legacy era. Returns its id and a function that creates its requests. */
export async function openSession(url) {
  const initialize = {
    protocolVersion: LEGACY,
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  }
  const socket = await openSocket(url)
  const opened = await socket.post({ headers: {}, body: toBody({ id: 0, method: "initialize", params: initialize }) })
  const id = /mcp-session-id: *([^\r\n]+)/i.exec(opened.head)?.[1]
  if (id === undefined) throw new Error(`no session was opened: ${opened.head}`)
  const headers = { "mcp-session-id": id, "mcp-protocol-version": LEGACY }
  await socket.post({ headers, body: toBody({ method: "notifications/initialized" }) })
  socket.close()
  return { id, request: (message) => ({ headers, body: toBody(withMeta({ id: 1, ...message })) }) }
}

function toBody(message) {
  return JSON.stringify({ jsonrpc: "2.0", ...message })
}

/**
 * Opens a connection that sends prepared requests as bytes, one after another, so that the client takes little CPU time from
 * the measured server.
 */
export async function openSocket(url) {
  const { hostname, port, pathname, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  let read
  socket.on("data", (bytes) => read?.(bytes))
  socket.on("error", () => {})
  const send = ({ bytes }) =>
    new Promise((resolve, reject) => {
      const answer = createReader(resolve)
      read = answer
      socket.once("close", () => reject(new Error("the connection was closed before the answer was complete")))
      socket.write(bytes)
    }).finally(() => socket.removeAllListeners("close"))
  return {
    socket,
    send,
    post: (request) => send(prepare(request, { pathname, host })),
    prepare: (request) => prepare(request, { pathname, host }),
    close: () => socket.destroy(),
  }
}

function prepare({ headers, body, verb = "POST", accept = "application/json, text/event-stream" }, { pathname, host }) {
  const all = {
    host,
    accept,
    ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return { bytes: Buffer.from(`${verb} ${pathname} HTTP/1.1\r\n${head.join("")}\r\n${body ?? ""}`) }
}

/** Reads one response, by its content length or until an empty chunk. */
function createReader(done) {
  const parts = []
  let size = 0
  let head
  return (bytes) => {
    parts.push(bytes)
    size += bytes.length
    head ??= readHead(parts)
    if (head === undefined || !isWhole(head, size, parts)) return
    done({ head: head.text, text: () => Buffer.concat(parts).subarray(head.end).toString() })
  }
}

function readHead(parts) {
  const all = Buffer.concat(parts)
  const end = all.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const text = all.subarray(0, end).toString("latin1")
  const told = /^HTTP\/1.1 (202|204)/.test(text) ? "0" : /content-length: *(\d+)/i.exec(text)?.[1]
  return { text, end: end + 4, length: told === undefined ? undefined : end + 4 + Number(told) }
}

function isWhole({ length }, size, parts) {
  if (length !== undefined) return size >= length
  const last = parts.at(-1)
  return (last.length >= 5 ? last : Buffer.concat(parts)).subarray(-5).toString("latin1") === "0\r\n\r\n"
}
