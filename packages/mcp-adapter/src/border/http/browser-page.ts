import { type Answer, type Exchange, pathOf, type RequestHead } from "./exchange.js"

/** Whether a person has opened the endpoint in a browser: clients of MCP never ask for HTML. */
export function isVisit({ method, headers }: RequestHead): boolean {
  const accept = headers.get("accept") ?? ""
  return method === "GET" && accept.includes("text/html") && !accept.includes("text/event-stream")
}

/** Shows a visiting person what the endpoint is and how to connect, instead of an error of the protocol. */
export function showToVisitor(exchange: Exchange): Exchange {
  const { head } = exchange
  return {
    ...exchange,
    send(answer) {
      // Without a session or a token, a browser can get no further. Other refusals, such as that of its host, stay as they are.
      if (![400, 401, 405].includes(answer.status)) return exchange.send(answer)
      const needsSignIn = answer.status === 401
      exchange.send(toPage(head, needsSignIn ? { status: 401, headers: answer.headers ?? {} } : { status: 200 }))
    },
  }
}

function toPage(head: RequestHead, { status, headers = {} }: Pick<Answer, "status" | "headers">): Answer {
  const url = escapeHtml(toAddress(head))
  const signIn = status === 401 ? "<p>This endpoint requires sign-in. Your host starts it when it connects.</p>" : ""
  return {
    status,
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>MCP endpoint</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .6rem .8rem; border: 1px solid; border-radius: .5rem }
</style>
<main>
<h1>This is an MCP endpoint</h1>
<p>It is for hosts of AI models, which use the application behind it over the Model Context Protocol. There is nothing to see
here in a browser.</p>
${signIn}
<h2>Connect</h2>
<p>Give your host this address:</p>
<pre>${url}</pre>
<p>Claude Code:</p>
<pre>claude mcp add --transport http app ${url}</pre>
<p>Cursor, in .cursor/mcp.json:</p>
<pre>{ "mcpServers": { "app": { "url": "${url}" } } }</pre>
<p>VS Code, in .vscode/mcp.json:</p>
<pre>{ "servers": { "app": { "type": "http", "url": "${url}" } } }</pre>
<p>Claude (web) and ChatGPT take the address as a connector in their settings, if it is public and begins with https.</p>
</main>
</html>
`,
  }
}

/** Returns the address as the browser has it: a proxy that ends TLS says so in a header. */
function toAddress(head: RequestHead): string {
  const { host, protocol } = new URL(head.url)
  const scheme = head.headers.get("x-forwarded-proto") === "https" ? "https:" : protocol
  return `${scheme}//${host}${pathOf(head)}`
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}
