// The server that the tests' clients start: an office with the demo's board. It serves its parent over stdio, and other clients
// over HTTP at the URL in the state "url", so that one client can change the state that another follows.
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

/** Counts a running audit and reports its progress, until it is signed or cancelled. */
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
    url: state({ description: "The URL of the office for other clients", mediaType: "text/plain", value: url }),
    audits: state({ description: "The number of running audits", schema: { type: "integer" }, value: running }),
  },
  actions: {
    audit: action({ description: "Audit the cards until somebody signs", output: { type: "integer" }, execute: audit }),
    sign: action({ description: "End all audits", execute: () => signed.next() }),
  },
  links: { board: link({ description: "The board", service: createBoardService(createBoardStore()) }) },
})

const adapter = createMcpAdapter(office)
// The first argument is the exposure.
const [, , exposure = "dynamic"] = process.argv
const http = await serveHttp(adapter, { port: 0, exposure })
url.next(http.url)
// Starts last, so that the URL is known at the first answer.
const stdio = serveStdio(adapter, { exposure })
await stdio.closed
await http.close()
adapter.close()
