// What the tests' clients start: an office with the demo's board in it. It is served to the client that started it, over
// stdio, and to everybody else over HTTP, at the URL in the state "url". So one can change what another looks at.
import { action, createAgenticService, link, state } from "@x/agentic-service"
import { createBoardStore } from "@x/demo/dist/board/create-board-store.js"
import { createBoardService } from "@x/demo/dist/services/create-board-service.js"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { BehaviorSubject, firstValueFrom, fromEvent, merge, ReplaySubject, Subject } from "rxjs"

const url = new ReplaySubject(1)
const running = new BehaviorSubject(0)
const signed = new Subject()

/** Counts itself in, reports how far it is, and counts itself out when it is signed or given up. */
async function audit(_, { progress, signal }) {
  running.next(running.value + 1)
  const over = firstValueFrom(merge(signed, fromEvent(signal, "abort")))
  for (const done of [1, 2, 3]) progress({ progress: done, total: 3, message: `card ${done}` })
  await over
  running.next(running.value - 1)
  return 3
}

const office = createAgenticService({
  name: "office",
  states: {
    url: state({ description: "Where the office is for others", mediaType: "text/plain", value: url }),
    audits: state({ description: "How many audits are going on", schema: { type: "integer" }, value: running }),
  },
  actions: {
    audit: action({ description: "Go through the cards, until signed", output: { type: "integer" }, execute: audit }),
    sign: action({ description: "End all audits", execute: () => signed.next() }),
  },
  links: { board: link({ description: "The board", service: createBoardService(createBoardStore()) }) },
})

const adapter = createMcpAdapter(office)
const http = await serveHttp(adapter, { port: 0 })
url.next(http.url)
// Last: whoever is answered here finds the URL.
const stdio = serveStdio(adapter)
await stdio.closed
await http.close()
adapter.close()
