import type { OptionRule } from "@x/base"
import type { Plugin, ResolvedConfig, ViteDevServer } from "vite"
import type { ClientFile } from "./dev/client-entries.js"
import type { KeptHost } from "./dev/dev-clients.js"
import { type DevOptions, devRules } from "./dev/dev-options.js"
import type { HotServer } from "./dev/hot-channel.js"
import { BridgeError, checkOptions } from "./host/bridge-error.js"

export type { ClientFile } from "./dev/client-entries.js"
export { BridgeError, type BridgeErrorCode } from "./host/bridge-error.js"

/** Options of the Vite plugin. */
export interface PageBridgeOptions extends DevOptions {
  /**
   * The client configuration files to write this server's entry into once it listens, such as `[".mcp.json"]`. Other entries in
   * them are kept. Default: none; the entry is printed.
   */
  readonly write?: readonly ClientFile[]
}

const rules: Record<keyof PageBridgeOptions, OptionRule> = { ...devRules, write: "any" }

/**
 * Creates a Vite plugin. `npm run dev` then serves MCP at `/__mcp` on the app's own port, with the pages that call
 * `connectPage(service)`. Their wire runs on Vite's hot channel. Builds contain nothing of it.
 *
 * Only this machine may connect, clients and pages alike, whatever `--host` says, unless you allow other hosts in
 * `allowedHosts`. Pages must also know a token, which is in the script that Vite serves to its pages.
 *
 * @throws BridgeError `invalid_option`.
 * @example
 * ```ts no-run
 * // not run: it is a configuration of Vite
 * import { pageBridge } from "@x/page-bridge/vite"
 *
 * export const config = { plugins: [pageBridge({ write: [".mcp.json"] })] }
 * ```
 */
export function pageBridge(options: PageBridgeOptions = {}): Plugin {
  checkOptions(options, rules)
  const { write = [], name = "app", ...served } = options
  for (const file of write)
    if (!FILES.includes(file))
      throw new BridgeError(`option "write" has "${file}": expected one of ${FILES.join(", ")}`, {
        code: "invalid_option",
      })
  // A restart creates the next server before it closes the last, so that one plugin may serve two.
  const closers = new Map<ResolvedConfig, () => void>()
  const tokens = new Map<ResolvedConfig, string>()
  return {
    name: "@x/page-bridge",
    apply: "serve",
    // Imported lazily, because builds read the same configuration and need none of this.
    async configureServer(server) {
      const { findKeptHost, refusesSignIn } = await import("./dev/dev-clients.js")
      const host = findKeptHost(server.config.root, { name, ...served })
      tokens.set(server.config, host.token)
      closers.set(server.config, await attach(server, host, served))
      announce(server, { name, write, live: served.liveView !== false })
      // Without this, the fallback page would answer requests for sign-in metadata, and clients would fail on its HTML.
      return () => {
        server.middlewares.use((request, response, next) => {
          if (!refusesSignIn(request, response)) next()
        })
      }
    },
    async transform(code, id) {
      if (!isViteClient(id) || !code.includes("function createHotContext(")) return undefined
      const token = tokens.get(this.environment.getTopLevelConfig())
      if (token === undefined) return undefined
      const { toClientCode } = await import("./dev/hot-channel.js")
      return { code: code + toClientCode(token), map: null }
    },
    closeBundle() {
      const config = this.environment.getTopLevelConfig()
      closers.get(config)?.()
      closers.delete(config)
      tokens.delete(config)
    },
  }
}

const FILES: readonly ClientFile[] = [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"]

function isViteClient(id: string): boolean {
  return /\/vite\/dist\/client\/client\.mjs(\?|$)/.test(id)
}

/** Serves clients and accepts pages until the returned function is called. */
async function attach(server: ViteDevServer, host: KeptHost, served: DevOptions): Promise<() => void> {
  const { followHotChannels } = await import("./dev/hot-channel.js")
  const { createPageAdmission } = await import("./dev/admit-page.js")
  const release = host.use()
  server.middlewares.use((request, response, next) => {
    if (!host.answers(request, response)) next()
  })
  // Vite's types cover its own events; these are custom.
  const hot = server.ws as unknown as HotServer
  const leave = followHotChannels(hot, {
    refuse: createPageAdmission(served, host.token),
    opened: (channel) => host.pages.accept(channel, { origin: originOf(server) }),
  })
  return () => {
    leave()
    release()
  }
}

/** The path on which clients connect. */
const MCP_PATH = "/__mcp"

/** Returns the origin of a dev server's pages. */
function originOf(server: ViteDevServer): string {
  const [url] = server.resolvedUrls?.local ?? []
  return url === undefined ? "the dev server" : new URL(url).origin
}

/** Prints how to connect below Vite's own URLs, and writes entries if configured. */
function announce(
  server: ViteDevServer,
  { name, write, live }: { readonly name: string; readonly write: readonly ClientFile[]; readonly live: boolean },
): void {
  const { logger } = server.config
  if (server.config.server.hmr === false)
    logger.warn(
      "  ➜  MCP:     no page can connect, because `server.hmr` is off: turn it on, pages connect over its channel",
    )
  const say = (): void => {
    const url = `${originOf(server)}${MCP_PATH}`
    logger.info(`  ➜  MCP:     ${url}  (claude mcp add --transport http ${name} ${url})`)
    if (live) logger.info(`  ➜  Live:    ${url}/live/  (what models see of the app)`)
    if (url.startsWith("https:"))
      logger.info("             the certificate is self-signed: start clients with NODE_EXTRA_CA_CERTS, or serve http")
    if (isOpen(server.config.server.host))
      logger.info("             for this machine only: to allow others, set pageBridge({ allowedHosts })")
    if (write.length > 0) void writeEntries(server, { name, url, write })
  }
  if (server.config.server.middlewareMode) {
    logger.info(`  ➜  MCP:     ${MCP_PATH} on the server that mounts Vite`)
    return
  }
  const printUrls = server.printUrls.bind(server)
  server.printUrls = () => {
    printUrls()
    say()
  }
}

/** Whether other machines can reach the dev server. */
function isOpen(host: string | boolean | undefined): boolean {
  return host === true || (typeof host === "string" && !/^(localhost$|127\.|::1$)/.test(host))
}

/** Imports the writer only if an entry is to be written. */
async function writeEntries(
  { config }: ViteDevServer,
  { write, ...entry }: { readonly name: string; readonly url: string; readonly write: readonly ClientFile[] },
): Promise<void> {
  const { writeEntry } = await import("./dev/client-entries.js")
  for (const file of write) {
    const done = writeEntry(config.root, file, entry)
    if (done !== undefined) config.logger.info(`             ${done}`)
  }
}
