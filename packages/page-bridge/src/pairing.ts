import type { AgenticService } from "@x/agentic-service"
import { type ConnectedPage, connectPage, type PageOptions } from "./index.js"

/** How a page is paired with a bridge on the person's machine. */
export interface PairingOptions extends Pick<PageOptions, "app" | "ask"> {
  /**
   * Told before the browser asks whether this site may reach programs on this device: say why, and answer whether to go on. Default:
   * the browser asks without more words.
   */
  readonly explain?: () => boolean | Promise<boolean>
}

/** A page that may be paired. */
export interface Pairing {
  /** The connection; `undefined` where the page was opened without a pairing link, or the person did not want it. */
  readonly page: ConnectedPage | undefined
}

/**
 * Connects a page of the web to the bridge whose link opened it (`npx @x/page-bridge https://app.example`). Without such a
 * link it does nothing at all: no port is tried, nobody is asked. What the link holds is taken out of the address at once, is
 * good for this tab only, and for as long as the bridge runs.
 *
 * @example
 * ```ts
 * import type { AgenticService } from "@x/agentic-service"
 * import { connectPaired } from "@x/page-bridge/pairing"
 *
 * export const connect = (shop: AgenticService, ask: (question: string) => Promise<boolean>) =>
 *   connectPaired(shop, { explain: () => ask("Your assistant runs on this computer. May this page talk to it?") })
 * ```
 */
export async function connectPaired(service: AgenticService, options: PairingOptions = {}): Promise<Pairing> {
  const { explain, ...rest } = options
  const pair = takePair() ?? rememberedPair()
  if (pair === undefined) return { page: undefined }
  if (explain !== undefined && (await willBeAsked()) && !(await explain())) return { page: undefined }
  return { page: connectPage(service, { ...rest, url: `ws://127.0.0.1:${pair.port}/mcp/pages`, token: pair.token }) }
}

/** The part of a pairing link that names the bridge; in the fragment, which no browser sends to a server. */
export const PAIRING_FRAGMENT = "agentic-bridge="

interface Pair {
  readonly port: string
  readonly token: string
}

/** Takes it out of the address, so that it is in no history and in no link that the person shares. */
function takePair(): Pair | undefined {
  const fragment = location.hash.slice(1)
  if (!fragment.startsWith(PAIRING_FRAGMENT)) return undefined
  history.replaceState(history.state, "", location.pathname + location.search)
  const text = fragment.slice(PAIRING_FRAGMENT.length)
  const pair = readPair(text)
  if (pair !== undefined) remember(text)
  return pair
}

function readPair(text: string): Pair | undefined {
  const [, port, token] = /^(\d{1,5})\.([\w-]{20,200})$/.exec(text) ?? []
  return port === undefined || token === undefined ? undefined : { port, token }
}

const KEY = "@x/page-bridge/pair"

/** For this tab, over reloads. */
function remember(text: string): void {
  try {
    sessionStorage.setItem(KEY, text)
  } catch {
    // A page without storage is paired until it is loaded again.
  }
}

function rememberedPair(): Pair | undefined {
  try {
    return readPair(sessionStorage.getItem(KEY) ?? "")
  } catch {
    return undefined
  }
}

/** Whether the browser is about to ask; in browsers that never do, it is not. */
async function willBeAsked(): Promise<boolean> {
  try {
    // Newer than the names that TypeScript knows.
    const { state } = await navigator.permissions.query({ name: "loopback-network" as PermissionName })
    return state === "prompt"
  } catch {
    return false
  }
}
