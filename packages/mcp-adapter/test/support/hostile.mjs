// JavaScript, because the benchmark of their cost runs it on the built packages; tests run it on the sources.
import { connect } from "node:net"

const NEVER_SENT = 64 * 2 ** 20
const MB = 2 ** 20
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" }
const CLAIM = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}
const LISTED = JSON.stringify({ ...LIST, params: { _meta: CLAIM } })
const MODERN = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" }

/** A plain, valid request. */
export const plain = {
  name: "nothing",
  bytes: [listed()],
  says: [/^HTTP\/1.1 200 /, /"tools":\[/],
}

/** Valid requests that few clients send. */
export const odd = [
  ["a whole URL as its target", [listed({}, "http://localhost/mcp")]],
  ["a whole URL and a query", [listed({ Host: "evil.example" }, "http://localhost/mcp?a=b")]],
  ["a slash at the end of its path", [listed({}, "/mcp/")]],
  ["a host without the number of its port", [listed({ Host: "localhost:" })]],
  ["a host in capitals, with its dot", [listed({ Host: "LOCALHOST." })]],
  ["an address of IPv6", [listed({ Host: "[::1]:80" })]],
  ["a question whether to go on", [listed({ Expect: "100-continue" })], /^HTTP\/1.1 100 /],
  ["chunks with words beside them, and a trailer", [inChunks()]],
  ["a type with a charset in quotes", [listed({ "Content-Type": 'Application/JSON; charset="UTF-8"' })]],
  ["an encoding that is none", [listed({ "Content-Encoding": "identity" })]],
  ["a mark and white space around its body", [listed({}, "/mcp", `\ufeff\r\n ${LISTED} \n`)]],
  ["HTTP/1.0", [String(listed()).replace("HTTP/1.1", "HTTP/1.0")]],
  ["an offer of another protocol", [listed({ Connection: "close, Upgrade", Upgrade: "h2c" })]],
].map(([name, bytes, says = /^HTTP\/1.1 200 /]) => ({ name, bytes, says: [says, /"tools":\[/] }))

/**
 * Hostile rows: the bytes, expected parts of the answer, and limits of bytes held (`held`) and of properties and items read
 * after parsing (`looked`). Each row is one connection, which ends with the answer.
 */
export const hostile = [
  ...about("a head", { held: 0, looked: 0 }, [
    ["that is no HTTP", ["\u0000\u0001\u0002 nonsense\r\n\r\n"], [/^HTTP\/1.1 400 /]],
    ["without a Host", [head({ Host: undefined })], [/^HTTP\/1.1 400 /]],
    ["of two Hosts", [head({ Host: "localhost\r\nHost: evil.example" })], [/^HTTP\/1.1 400 /]],
    ["of one Host twice", [head({ Host: "localhost\r\nHost: localhost" })], [/^HTTP\/1.1 400 /]],
    ...["a b", "localhost/x", "localhost:99999", "local%68ost", "user@localhost", "[::1", ""].map((host) => [
      `whose Host is "${host}"`,
      [head({ Host: host })],
      [/^HTTP\/1.1 400 /],
    ]),
    [
      "for another host, with 64 MB to come",
      pour({ Host: "evil.example" }),
      [/^HTTP\/1.1 403 /, /"Host\\" is \\"evil/],
    ],
    ["of another origin, with 64 MB to come", pour({ Origin: "https://evil.example" }), [/^HTTP\/1.1 403 /]],
    ["of the origin null", [head({ Origin: "null" })], [/^HTTP\/1.1 403 /]],
    ["for a host in its target", [post("{}", {}, "http://evil.example/mcp")], [/^HTTP\/1.1 40[34] /]],
    ["of 1 MB", [head({ "X-Long": "x".repeat(MB) })], [/^HTTP\/1.1 431 /]],
    ["of 5,000 fields", [head({ "X-Many": Array(5_000).fill("1").join("\r\nX: ") })], [/^HTTP\/1.1 (431|400) /]],
    ["with a line that is folded", [head({ "X-Fold": "a\r\n b" })], [/^HTTP\/1.1 400 /]],
    ["with a space before a colon", [head({ "X-Space ": "a" })], [/^HTTP\/1.1 400 /]],
    ["with a line feed alone", [head({ "X-Feed": "a\nInjected: b" })], [/^HTTP\/1.1 400 /]],
    ["of a method there is not", [head({}, "BREW /mcp")], [/^HTTP\/1.1 (400|405) /]],
    ["of a method that is not served", [head({}, "PUT /mcp")], [/^HTTP\/1.1 405 /, /allow: GET, POST, DELETE\r/i]],
    ["for another path", [post("{}", {}, "/mcp/../etc/passwd")], [/^HTTP\/1.1 404 /]],
    ["of another type", pour({ "Content-Type": "text/plain" }), [/^HTTP\/1.1 415 /, /expected application\/json/]],
    ["of no type", pour({ "Content-Type": undefined }), [/^HTTP\/1.1 415 /]],
    ["that says 64 MB", pour({}), [/^HTTP\/1.1 413 /, /too large/]],
    [
      "that asks for another protocol",
      [head({ Connection: "close, Upgrade", Upgrade: "websocket" })],
      [/^HTTP\/1.1 400 /],
    ],
  ]),
  ...about("smuggling by", { held: 8_192, looked: 0 }, [
    ["a length beside chunks", [post("0\r\n\r\n", { "Transfer-Encoding": "chunked" })], [/^HTTP\/1.1 400 /]],
    ["two lengths", [post("{}", { "Content-Length": "2\r\nContent-Length: 30" })], [/^HTTP\/1.1 400 /]],
    ["a length with a sign", [post("{}", { "Content-Length": "+2" })], [/^HTTP\/1.1 400 /]],
    ["a length below nothing", [post("{}", { "Content-Length": "-2" })], [/^HTTP\/1.1 400 /]],
    ["an encoding there is not", [chunked("0\r\n\r\n", "xchunked")], [/^HTTP\/1.1 (400|501) /]],
    ["chunks that are not last", [chunked("0\r\n\r\n", "chunked, identity")], [/^HTTP\/1.1 400 /]],
    ["a chunk of no number", [chunked("zz\r\n{}\r\n0\r\n\r\n")], [/^HTTP\/1.1 400 /]],
    ["a chunk longer than it says", [chunked("1\r\n{}\r\n0\r\n\r\n")], [/^HTTP\/1.1 400 /]],
    ["64 kB of chunk extensions", [chunked(`2;${"x".repeat(65_536)}\r\n{}\r\n0\r\n\r\n`)], [/^HTTP\/1.1 (400|413) /]],
    [
      "a request in the body of one that is refused",
      [post("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", { "Content-Type": "text/plain" })],
      [/^HTTP\/1.1 415 (?!.*HTTP\/1.1)/s],
    ],
  ]),
  ...about("a body", { held: 5 * MB, looked: 0 }, [
    ["of nothing", [post("")], [/^HTTP\/1.1 400 /, /-32700/]],
    ["of broken JSON", [post('{"jsonrpc":')], [/-32700/, /the body is not JSON/]],
    ["of no JSON", [post("{a:1}")], [/-32700/]],
    ["of two values", [post("{}{}")], [/-32700/]],
    ["of NaN", [post('{"jsonrpc":"2.0","id":NaN}')], [/-32700/]],
    ["that is no UTF-8", [post(Buffer.from([0x7b, 0xff, 0x7d]))], [/-32700/]],
    ["of UTF-16", [post(Buffer.from("\ufeff{}", "utf16le"))], [/-32700/]],
    [
      "that is packed",
      [post(Buffer.from([0x1f, 0x8b, 8, 0]), { "Content-Encoding": "gzip" })],
      [/^HTTP\/1.1 415 /, /accept-encoding: identity/i],
    ],
    ["of 1,000,000 levels", [post("[".repeat(MB))], [/^HTTP\/1.1 400 /, /nested too deep/]],
    ["of 1,000,000 levels of objects", [post('{"a":'.repeat(700_000))], [/nested too deep/]],
    ["of 1,300,000 empty objects", [post(`[${Array(1_300_000).fill("{}").join()}]`)], [/too many values/]],
    ["of 400,000 keys", [post(`{${Array(400_000).fill('"a":1').join()}}`)], [/too many values/]],
    ["of 64 MB in chunks", pourChunks(), [/^HTTP\/1.1 413 /]],
    ["that ends early", [`${post("{}", { "Content-Length": "50" })}`, "end"], [/^(HTTP\/1.1 400 |$)/]],
  ]),
  ...about("a message", { held: 5 * MB, looked: 60 }, [
    ...[
      ["", 1, /is a number: expected an object/],
      ["", null, /is null: expected an object/],
      ["", "x", /is a string: expected an object/],
      ["jsonrpc", { ...LIST, jsonrpc: "1.0" }, /jsonrpc/],
      ["no jsonrpc", { id: 1, method: "ping" }, /jsonrpc/],
      ["id", { ...LIST, id: null }, /\\"id\\" is null/],
      ["id", { ...LIST, id: {} }, /\\"id\\" is an object/],
      ["id", { ...LIST, id: 1.5 }, /\\"id\\" is 1.5/],
      ["id", { ...LIST, id: 2 ** 60 }, /\\"id\\" is/],
      ["method", { ...LIST, method: 5 }, /\\"method\\" is 5/],
      ["method", { ...LIST, method: null }, /\\"method\\" is null/],
      ["params", { ...LIST, params: [] }, /\\"params\\" is an array/],
      ["params", { ...LIST, params: "x" }, /\\"params\\" is a string/],
      ["_meta", { ...LIST, params: { _meta: 1 } }, /_meta\\" is a number/],
      ["progressToken", { ...LIST, params: { _meta: { progressToken: {} } } }, /progressToken\\" is an object/],
      ["result", { jsonrpc: "2.0", id: 1, result: 1 }, /\\"result\\" is a number/],
      ["error", { jsonrpc: "2.0", id: 1, error: {} }, /\\"error\\" is not an error object/],
      ["nothing in it", {}, /jsonrpc/],
    ].map(([what, message, says]) => [
      `whose ${what} is wrong: ${JSON.stringify(message)}`,
      [post(JSON.stringify(message))],
      [/^HTTP\/1.1 400 /, /"code":-32600/, says],
    ]),
    ["with a session nobody has", [post(JSON.stringify(LIST), { "Mcp-Session-Id": "x" })], [/^HTTP\/1.1 404 /]],
    ["with __proto__", [post('{"jsonrpc":"2.0","id":1,"__proto__":{"method":"ping"}}')], [/"code":-32600/]],
    ["with an era its header denies", [post(JSON.stringify(LIST), MODERN)], [/^HTTP\/1.1 400 /, /_meta/]],
    [
      "with a claim of an era there is not",
      [modern({ ...CLAIM, "io.modelcontextprotocol/protocolVersion": "3000-01-01" }, "3000-01-01")],
      [/^HTTP\/1.1 400 /, /-32022/],
    ],
    [
      "with a name of a million letters",
      [post(JSON.stringify({ ...LIST, method: "x".repeat(MB) }))],
      [/^HTTP\/1.1 400 (?!.*x{1000})/s],
    ],
  ]),
  ...about("many", { held: 5 * MB, looked: 2_100 }, [
    ["messages: none", [post("[]")], [/the batch is empty/]],
    ["messages: 101", [post(batch(101))], [/holds 101 messages: expected at most 100/]],
    ["messages: 20,000", [post(batch(20_000))], [/too many values|holds 20000 messages/]],
    ["messages: 49,000 empty ones", [post(`[${Array(49_000).fill("{}").join()}]`)], [/holds 49000 messages/]],
    ["batches in a batch", [post("[[[]]]")], [/is an array: expected an object/]],
    ["messages, one of them wrong", [post(`[${JSON.stringify(LIST)},{}]`)], [/"code":-32600/, /"at":"\/1\/jsonrpc"/]],
    ["keys in _meta: 90,000", [modern(wide(90_000))], [/^HTTP\/1.1 400 /, /holds more than 1000 values/]],
    ["keys in params: 90,000", [post(JSON.stringify({ ...LIST, params: wide(90_000) }))], [/more than 1000 values/]],
    ["resources to hear of: 90,000", [listen(90_000)], [/^HTTP\/1.1 400 /, /more than 1000 values/]],
    ["levels in _meta: 90", [modern({ ...CLAIM, deep: deep(90) })], [/^HTTP\/1.1 200 /]],
  ]),
]

/** Sends a row's bytes over its own connection. Returns everything received until its end. */
export function send(port, { bytes }) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    const pieces = bytes[Symbol.iterator]()
    const next = () => {
      for (let { done, value } = pieces.next(); !done; { done, value } = pieces.next()) {
        if (value === "end") return void socket.end()
        if (!socket.write(value)) return void socket.once("drain", next)
      }
    }
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
    })
    // Bytes still in transit after the answer cause a reset.
    socket.on("error", () => {})
    socket.on("close", () => resolve(text))
    socket.once("connect", next)
  })
}

function about(what, bound, rows) {
  return rows.map(([name, bytes, says]) => ({
    name: `${what} ${name}`,
    bytes,
    says,
    looked: bound.looked,
    // Never more than was sent.
    held: Array.isArray(bytes) ? Math.min(bound.held, sizeOf(bytes)) : bound.held,
  }))
}

function sizeOf(bytes) {
  return bytes.reduce((size, piece) => size + Buffer.byteLength(piece), 0)
}

function head(fields, line = "GET /mcp") {
  const all = { Host: "localhost", Connection: "close", ...fields }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]))
  return `${line} HTTP/1.1\r\n${lines.join("")}\r\n`
}

function post(body, fields = {}, target = "/mcp") {
  const bytes = Buffer.from(body)
  const own = { "Content-Type": "application/json", "Content-Length": bytes.length }
  return Buffer.concat([Buffer.from(head({ ...own, ...fields }, `POST ${target}`)), bytes])
}

function listed(fields = {}, target = "/mcp", body = LISTED) {
  return post(body, { ...MODERN, ...fields }, target)
}

function inChunks() {
  const fields = { ...MODERN, "Content-Type": "application/json", "Transfer-Encoding": "chunked" }
  return `${head(fields, "POST /mcp")}${LISTED.length.toString(16)};a="b"\r\n${LISTED}\r\n0\r\nX-Sum: 1\r\n\r\n`
}

function chunked(body, coding = "chunked") {
  return head({ "Content-Type": "application/json", "Transfer-Encoding": coding }, "POST /mcp") + body
}

function modern(claim, version = "2026-07-28") {
  const fields = { ...MODERN, "MCP-Protocol-Version": version }
  return post(JSON.stringify({ ...LIST, params: { _meta: { ...CLAIM, ...claim } } }), fields)
}

function listen(count) {
  const notifications = { resourceSubscriptions: Array.from({ length: count }, (_, index) => `x:${index}`) }
  const message = { ...LIST, method: "subscriptions/listen", params: { _meta: CLAIM, notifications } }
  return post(JSON.stringify(message), { ...MODERN, "Mcp-Method": "subscriptions/listen" })
}

function batch(count) {
  return JSON.stringify(Array(count).fill({ jsonrpc: "2.0", method: "notifications/x" }))
}

function wide(count) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
}

function deep(levels) {
  return levels === 0 ? 1 : { a: deep(levels - 1) }
}

/** Creates a body with a length, sent for as long as the server reads. */
function pour(fields) {
  const own = { "Content-Type": "application/json", "Content-Length": NEVER_SENT, ...fields }
  return repeated(head(own, "POST /mcp"), Buffer.alloc(65_536, "x"))
}

function pourChunks() {
  return repeated(chunked(""), Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`))
}

function repeated(first, piece) {
  return {
    *[Symbol.iterator]() {
      yield first
      for (let sent = 0; sent < NEVER_SENT; sent += 65_536) yield piece
    },
  }
}
