import { once } from "node:events"
import { createServer } from "node:http"
import { buffer } from "node:stream/consumers"
import { createGunzip, createZstdDecompress } from "node:zlib"
import { anthropic } from "./protocols/anthropic.mjs"
import { gemini } from "./protocols/gemini.mjs"
import { completions, responses } from "./protocols/openai.mjs"

const PROTOCOLS = [anthropic, completions, responses, gemini]

/**
 * Serves a scripted model over the APIs that hosts use. `next(turn)` receives the host's request, and returns a tool call or a
 * text. Requests without tools, such as for a title, get a one-word answer.
 */
export async function serveModel(next) {
  const server = createServer(async (request, response) => {
    try {
      const path = new URL(request.url, "http://model").pathname
      const protocol = PROTOCOLS.find(({ matches }) => matches(path))
      if (protocol === undefined || request.method !== "POST") return answerOther(path, response)
      const body = JSON.parse(await readBody(request))
      const turn = protocol.read(body)
      const answer = turn.tools.length === 0 ? { text: "A title" } : next(turn)
      protocol.write(response, answer, { stream: body.stream === true, path })
    } catch (error) {
      console.error(error)
      response.writeHead(500).end()
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function answerOther(path, response) {
  const body = path.endsWith("/models") ? { object: "list", data: [{ id: "scripted", object: "model" }] } : {}
  if (path.endsWith(":countTokens")) body.totalTokens = 1
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

async function readBody(request) {
  const encoding = request.headers["content-encoding"]
  const unzip = encoding === "zstd" ? createZstdDecompress() : encoding === "gzip" ? createGunzip() : undefined
  return (await buffer(unzip === undefined ? request : request.pipe(unzip))).toString()
}
