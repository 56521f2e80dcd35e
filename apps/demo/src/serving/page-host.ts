import type { Server } from "node:http"
import { fileURLToPath } from "node:url"
import type { AgenticService } from "@x/agentic-service"
import { mirrorService } from "@x/service-wire"
import { fromWebSocket } from "@x/service-wire/websocket"
import sirv from "sirv"
import { WebSocketServer } from "ws"
import type { OtherPaths } from "./serve-board.js"

/** Serves the page, and takes the board that it offers. */
export interface PageHost {
  /** The board in the page that is open; while none is, it says so. */
  readonly service: AgenticService
  /** Answers with the page's files. */
  readonly answer: OtherPaths
  /** Lets pages of this server connect. */
  accept(server: Server): void
}

/** The page's files, as the build leaves them. */
const FILES = fileURLToPath(new URL("../web", import.meta.url))

/** No page is open yet. */
export function createPageHost(): PageHost {
  // A reload is over within two seconds: until then what was there stays, and calls wait.
  const board = mirrorService(undefined, {
    name: "board",
    graceMs: 2_000,
    absent: "nobody has the board open: ask the person to open its page in a browser",
  })
  const files = sirv(FILES, { dev: false, single: false, setHeaders: setPolicy })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES, allowSynchronousEvents: false })
  return {
    service: board,
    answer(request, response) {
      files(request, response, () => {
        const built = request.url === "/" ? "The page is not built: npm start builds it.\n" : "Not Found\n"
        response.writeHead(404, { "content-type": "text/plain" }).end(built)
      })
    },
    accept(server) {
      server.on("upgrade", (request, socket, head) => {
        const { host = "", origin } = request.headers
        // Only the page of this very server, under a name that no other page can have made up.
        const isOwn = request.url === "/page" && origin === `http://${host}` && LOCAL.test(host)
        if (!isOwn) return void socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n")
        sockets.handleUpgrade(request, socket, head, (page) => board.resume(fromWebSocket(page)))
      })
      server.on("close", () => board.close())
    },
  }
}

const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/
/** The most that one frame of a page may have. */
const MOST_BYTES = 8 * 2 ** 20

/** Nothing but what comes from here; the live view writes styles of its own. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; object-src 'none'"

function setPolicy(response: Parameters<OtherPaths>[1]): void {
  response.setHeader("content-security-policy", POLICY)
  response.setHeader("x-content-type-options", "nosniff")
  response.setHeader("referrer-policy", "no-referrer")
}
