import type { IncomingMessage, ServerResponse } from "node:http"
import type { NodeHandler } from "@x/mcp-adapter/http"

/** Answers browsers: a page about this server at `/`, and the live view at `/live/` if there is one. */
export function answerBrowsers(view: NodeHandler | undefined) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { pathname } = new URL(request.url ?? "/", "http://here")
    if (view !== undefined && /^\/live(\/|$)/.test(pathname)) void view.handle(request, response)
    else if (pathname === "/") response.writeHead(200, headers).end(page(view !== undefined))
    else response.writeHead(404, { "content-type": "text/plain" }).end("Not Found\n")
  }
}

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

function page(hasView: boolean): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Notes</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 3rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .6rem .8rem; border: 1px solid; border-radius: .5rem }
a { color: LinkText }
</style>
<main>
<h1>Notes</h1>
<p>Models read and write notes here, over the Model Context Protocol.</p>
<ul>
${hasView ? '<li><a href="/live/">The live view</a> shows what models see and do.</li>' : ""}
<li><a href="/mcp">The endpoint</a> says how to connect a model.</li>
</ul>
</main>
</html>
`
}
