import { readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join, posix } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../launch/workspace.mjs"

/** Serves a built site on a free port, and opens a real browser for it. */
export async function openSite(out, base) {
  const { openBrowser } = await import(pathToFileURL(join(root, "apps", "rigs", "browser", "dist", "index.js")).href)
  const server = await serve(out, base)
  const browser = await openBrowser()
  const close = async () => {
    await browser.close()
    server.close()
  }
  return { browser, url: server.url, close }
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" }

/** Serves the site, with addresses that have no extension. */
async function serve(out, base) {
  const server = createServer((request, response) => {
    const path = posix.normalize(new URL(request.url, "http://site").pathname).slice(base.length)
    const file = [path, `${path}.html`, `${path}index.html`].map((name) => join(out, name)).find(isFile)
    if (file === undefined) response.writeHead(404).end()
    else
      response
        .writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" })
        .end(readFileSync(file))
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://localhost:${server.address().port}${base}`, close }
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
