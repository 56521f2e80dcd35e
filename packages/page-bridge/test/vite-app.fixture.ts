import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { createLogger, createServer, type InlineConfig, type ViteDevServer } from "vite"
import { type PageBridgeOptions, pageBridge } from "../src/vite.js"

const home = join(import.meta.dirname, "..")

/** Creates a copy of the app for a test to edit. The copy stays inside this package, where imports resolve. */
export function copyApp(): { readonly root: string; remove(): void } {
  const root = mkdtempSync(join(home, ".vite-app-"))
  cpSync(join(import.meta.dirname, "vite-app"), root, { recursive: true })
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/** Returns the configuration that runs the app from the workspace's sources. */
export function toConfig(root: string, options: PageBridgeOptions = {}): InlineConfig & { readonly said: string[] } {
  const said: string[] = []
  const logger = createLogger("info")
  const note = (text: string): void => void said.push(text)
  return {
    said,
    root,
    configFile: false,
    clearScreen: false,
    cacheDir: join(root, ".vite"),
    customLogger: { ...logger, info: note, warn: note, warnOnce: note },
    plugins: [pageBridge(options)],
    resolve: {
      conditions: ["@x/source", "module", "browser", "development|production"],
      alias: [{ find: /^@x\/page-bridge$/, replacement: join(home, "src", "index.ts") }],
    },
    server: { port: 0, host: "127.0.0.1" },
  }
}

/** Starts `npm run dev`. */
export async function startVite(
  config: InlineConfig,
): Promise<{ readonly server: ViteDevServer; readonly url: string }> {
  const server = await createServer(config)
  await server.listen()
  server.printUrls()
  return { server, url: urlOf(server) }
}

/** Returns the app's URL. */
export function urlOf(server: ViteDevServer): string {
  const address = server.httpServer?.address()
  if (typeof address !== "object" || address === null) throw new Error("Vite does not listen")
  return `${server.config.server.https ? "https" : "http"}://localhost:${address.port}/`
}

/** Connects a client of either era that records its notices. */
export async function connectClient(url: string, era: "modern" | "legacy") {
  const client = new Client(
    { name: "test", version: "0.0.0" },
    {
      versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" },
      listChanged: { tools: { onChanged: () => tell(), debounceMs: 0, autoRefresh: false } },
    },
  )
  let notices = 0
  const waiting = new Set<() => void>()
  const tell = (): void => {
    notices += 1
    for (const check of [...waiting]) check()
  }
  await client.connect(new StreamableHTTPClientTransport(new URL("__mcp", url)))
  const tools = async () => (await client.listTools()).tools.map(({ name }) => name)
  return {
    client,
    tools,
    notices: () => notices,
    /** Lists again after each notice, until the names satisfy a condition. */
    async whenListed(wanted: (names: readonly string[]) => boolean): Promise<readonly string[]> {
      for (;;) {
        const noticed = new Promise<void>((resolve) => waiting.add(resolve))
        const names = await tools()
        if (wanted(names)) return names
        await noticed
      }
    },
  }
}
