import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { build } from "vite"

/** Options for `servePage`. */
export interface PageOptions {
  /** The HTML before the script. Default: empty. */
  readonly body?: string
  /** Headers of the page, such as `Permissions-Policy`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Values that the script finds as `globalThis.given`. */
  readonly given?: unknown
}

/** A page on a loopback port. */
export interface ServedPage {
  /** The page's URL, with `localhost` for a secure context. */
  readonly url: string
  /** Its origin. */
  readonly origin: string
  /** Closes the server and its connections. Idempotent. */
  close(): Promise<void>
}

/** Bundles a script (`new URL("./x.fixture.ts", import.meta.url)`) with Vite and serves it in a page, under any path. */
export async function servePage(script: URL, options: PageOptions = {}): Promise<ServedPage> {
  const code = await bundlePage(script)
  const server = createServer((request, response) => {
    if (request.url === "/script.js") response.setHeader("Content-Type", "text/javascript").end(code)
    else response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...options.headers }).end(html(options))
  })
  const origin = `http://localhost:${await listen(server)}`
  return { url: `${origin}/`, origin, close: () => close(server) }
}

/** Bundles a script and its imports into one module, from the workspace's sources. */
export async function bundlePage(script: URL): Promise<string> {
  const entry = fileURLToPath(script)
  const built = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["@x/source", "browser", "import", "default"] },
    build: {
      write: false,
      minify: false,
      target: "es2022",
      lib: { entry, formats: ["es"], fileName: "script" },
      rollupOptions: { output: { codeSplitting: false } },
    },
  })
  const outputs = Array.isArray(built) ? built : [built]
  const chunk = outputs.flatMap((one) => ("output" in one ? one.output : [])).find(({ type }) => type === "chunk")
  if (chunk?.type !== "chunk") throw new Error(`Vite built no script from "${entry}"`)
  return chunk.code
}

function html({ body = "", given }: PageOptions): string {
  const values = JSON.stringify(given ?? null).replaceAll("<", "\\u003c")
  return `<!doctype html><title>test</title>${body}<script>globalThis.given = ${values}</script><script type="module" src="/script.js"></script>`
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    // A TCP server has an address object; only a pipe has a string.
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
