// A custom Next server behind `pageMiddleware`, as in the guide. Prints its URL.
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { pageMiddleware } from "@x/page-bridge/middleware"

const brought = new URL("../brought/", import.meta.url)
const next = createRequire(new URL("package.json", brought))("next")

const bridge = pageMiddleware()
const server = createServer((request, response) => bridge(request, response, () => handle(request, response)))
const app = next({ dev: process.argv[2] === "dev", dir: fileURLToPath(brought), httpServer: server })
const handle = app.getRequestHandler()
await app.prepare()
bridge.attach(server)
server.listen(0, "127.0.0.1", () => console.log(`serving http://localhost:${server.address().port}/`))
