import { once } from "node:events"
import { createServer, request } from "node:http"
import { createInterface } from "node:readline"
import { PassThrough } from "node:stream"

/** Proxies HTTP between a client and a server, and records their messages in a journal. */
export async function tapHttp(upstream, journal) {
  const server = createServer((asked, answer) => {
    const { port, hostname } = new URL(upstream)
    const headers = { ...asked.headers, host: `${hostname}:${port}` }
    const forwarded = request({ port, hostname, path: asked.url, method: asked.method, headers })
    forwarded.on("response", (response) => {
      if (asked.method === "GET" && response.statusCode === 200) journal.add({ opened: true })
      if (response.statusCode >= 400) journal.add({ refused: response.statusCode })
      noteResponse(response, journal)
      answer.writeHead(response.statusCode, response.headers).flushHeaders()
      response.on("error", () => answer.destroy()).pipe(answer)
    })
    forwarded.on("error", () => answer.destroy())
    answer.on("close", () => forwarded.destroy())
    forward(asked, forwarded, journal).catch(() => forwarded.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(upstream)
  url.port = String(server.address().port)
  return {
    target: { url: url.href },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Forwards a request. Records it first, so that the server's answer comes later in the journal. */
async function forward(asked, forwarded, journal) {
  const body = (await asked.toArray()).join("")
  if (body !== "") journal.add({ from: "client", message: JSON.parse(body), headers: asked.headers })
  forwarded.end(body)
}

function noteResponse(response, journal) {
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream")
  createInterface(response.pipe(new PassThrough())).on("line", (line) => {
    const text = isStream ? line.replace(/^data: ?/, "") : line
    if (text.startsWith("{")) journal.add({ from: "server", message: JSON.parse(text) })
  })
}
