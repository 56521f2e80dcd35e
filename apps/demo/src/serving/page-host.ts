import { EventEmitter } from "node:events"
import { existsSync } from "node:fs"
import type { Server } from "node:http"
import { fileURLToPath } from "node:url"
import type { AgenticService } from "@x/agentic-service"
import { acceptPages } from "@x/page-bridge/node"
import { map, type Observable } from "rxjs"
import sirv from "sirv"
import type { OtherPaths } from "./serve-board.js"

/** Serves the page and receives its board. */
export interface PageHost {
  /** The board of the open page. Without a page, calls fail with that reason. */
  readonly service: AgenticService
  /** How many pages are open. */
  readonly open$: Observable<number>
  /** Serves the page's files. */
  readonly answer: OtherPaths
  /** Accepts the pages of this server. */
  accept(server: Server): void
}

/** The folder of the built page. */
const FILES = fileURLToPath(new URL("../web", import.meta.url))

/** Creates the host of pages, with no page connected. */
export function createPageHost(): PageHost {
  // The server is created later, from the pages' service.
  const upgrades = new EventEmitter()
  const pages = acceptPages(upgrades, {
    app: "board",
    // Only this server's own page has its origin, and a demo has a single person.
    authenticate: ({ origin }) => (origin === undefined ? undefined : PERSON),
  })
  const files: ReturnType<typeof sirv> = existsSync(FILES)
    ? sirv(FILES, { dev: false, single: false, setHeaders: setPolicy })
    : (_request, _response, next) => next?.()
  return {
    service: pages.of(PERSON),
    open$: pages.tabs.pipe(map((tabs) => tabs.length)),
    answer(request, response) {
      files(request, response, () => {
        const built = request.url === "/" ? "The page is not built: npm start builds it.\n" : "Not Found\n"
        response.writeHead(404, { "content-type": "text/plain" }).end(built)
      })
    },
    accept(server) {
      server.on("upgrade", (request, socket, head) => {
        if (request.url === "/mcp/pages") upgrades.emit("upgrade", request, socket, head)
        else socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n")
      })
      server.on("close", () => pages.close())
    },
  }
}

const PERSON = { id: "person" }

/** Allows this origin only; the live view needs inline styles. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; object-src 'none'"

function setPolicy(response: Parameters<OtherPaths>[1]): void {
  response.setHeader("content-security-policy", POLICY)
  response.setHeader("x-content-type-options", "nosniff")
  response.setHeader("referrer-policy", "no-referrer")
}
