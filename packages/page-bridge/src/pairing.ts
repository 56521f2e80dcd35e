import type { AgenticService } from "@x/agentic-service"
import { PAIRING_FRAGMENT } from "./bridge-frames.js"
import { type ConnectedPage, connectPage, type PageOptions } from "./index.js"

/** Options for pairing a page with a bridge on the person's machine. */
export interface PairingOptions extends Pick<PageOptions, "app" | "ask"> {
  /**
   * Called before the browser asks whether this site may reach programs on this device. Explain why, and return whether to
   * continue. Default: the browser asks without an explanation.
   */
  readonly explain?: () => boolean | Promise<boolean>
}

/** The result of pairing. */
export interface Pairing {
  /** The connection; `undefined` if the page was opened without a pairing link, or the person declined. */
  readonly page: ConnectedPage | undefined
}

/**
 * Connects a public page to the bridge whose link opened it (`npx @x/page-bridge https://app.example`). Without such a link it
 * does nothing: it tries no port and asks nobody. The link's secret is removed from the address at once, and works for this tab
 * only, while the bridge runs.
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

interface Pair {
  readonly port: string
  readonly token: string
}

/** Removes the secret from the address, so that neither the history nor shared links contain it. */
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

/** Keeps the pair for this tab over reloads. */
function remember(text: string): void {
  try {
    sessionStorage.setItem(KEY, text)
  } catch {
    // Without storage, a reload ends the pairing.
  }
}

function rememberedPair(): Pair | undefined {
  try {
    return readPair(sessionStorage.getItem(KEY) ?? "")
  } catch {
    return undefined
  }
}

/** Whether the browser is about to ask the person. Some browsers never ask. */
async function willBeAsked(): Promise<boolean> {
  try {
    // TypeScript does not know this name yet.
    const { state } = await navigator.permissions.query({ name: "loopback-network" as PermissionName })
    return state === "prompt"
  } catch {
    return false
  }
}
