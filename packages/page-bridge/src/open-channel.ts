import { hasMethod, isLocalHost, showShort, textToBase64 } from "@x/base"
import type { Channel } from "@x/service-wire"
import { fromWebSocket } from "@x/service-wire/websocket"
import { PROTOCOL, TOKEN_PREFIX } from "./bridge-frames.js"

/** An option of the page is invalid, so another attempt would fail as well. */
export class OptionError extends TypeError {
  override readonly name = "OptionError"
}

/** Options of the channel to the host. */
export interface ChannelOptions {
  /** The host's address: `ws:`, `wss:`, `http:`, `https:`, or a path on the page's own origin. Default `/mcp/pages`. */
  readonly url?: string | URL
  /**
   * The host's token, if necessary. A function is called before each attempt, so that you can return a fresh single-use ticket.
   * The token is sent beside the URL, never in it.
   */
  readonly token?: string | (() => string | Promise<string>)
  /** Opens another channel than a WebSocket, such as a bundler's hot channel. */
  readonly open?: () => Channel
}

/** The browser blocks this page from reaching the machine, or is about to ask the person. */
export interface Block {
  /** Whether the browser blocks the page or asks. */
  readonly state: "blocked" | "asking"
  /** The reason, for people. */
  readonly reason: string
}

/**
 * Opens a channel to the host. Reports first whether the browser may block it.
 *
 * @throws OptionError for an invalid `url`, `token` or `open`.
 */
export async function openChannel(options: ChannelOptions, asked: (block: Block) => void): Promise<Channel> {
  const { url, token, open } = options
  const other = open ?? (url === undefined ? openBeside() : undefined)
  if (other !== undefined) return toChannel(other)
  const address = toAddress(url ?? "/mcp/pages")
  const block = await findBlock(address)
  if (block !== undefined) asked(block)
  const text = await readToken(token)
  const protocols = text === undefined ? [PROTOCOL] : [PROTOCOL, TOKEN_PREFIX + encodeToken(text)]
  return fromWebSocket(new WebSocket(address, protocols))
}

function toChannel(open: () => unknown): Channel {
  if (typeof open !== "function") throw invalid("open", `is ${showShort(open)}: expected a function`)
  const channel = open()
  if (isChannel(channel)) return channel
  throw invalid("open", `returned ${showShort(channel)}: expected a channel with "send", "listen" and "close"`)
}

function isChannel(value: unknown): value is Channel {
  return hasMethod(value, "send") && hasMethod(value, "listen") && hasMethod(value, "close")
}

/** Returns the token. Its value never appears in an error, since it is secret. */
async function readToken(token: ChannelOptions["token"]): Promise<string | undefined> {
  const text: unknown = typeof token === "function" ? await token() : token
  if (text === undefined || typeof text === "string") return text
  const kind = text === null ? "null" : `a value of type ${typeof text}`
  throw invalid("token", `${typeof token === "function" ? "returned" : "is"} ${kind}: expected a string`)
}

function invalid(option: keyof ChannelOptions, fault: string): OptionError {
  return new OptionError(`option "${option}" ${fault}`)
}

/**
 * Returns the opener that a dev server registered for its pages. It does not import this module, so it uses a global symbol.
 */
function openBeside(): (() => Channel) | undefined {
  return Reflect.get(globalThis, Symbol.for("@x/page-bridge/open"))
}

function toAddress(url: string | URL): URL {
  const address = parseUrl(url)
  if (address?.protocol === "http:") address.protocol = "ws:"
  if (address?.protocol === "https:") address.protocol = "wss:"
  if (address?.protocol === "ws:" || address?.protocol === "wss:") return address
  throw invalid("url", `is ${showShort(String(url))}: expected a path, or a URL of ws:, wss:, http: or https:`)
}

/** Not every browser has `URL.canParse`. */
function parseUrl(url: string | URL): URL | undefined {
  try {
    return new URL(url, location.href)
  } catch {
    return undefined
  }
}

/** Subprotocols allow few characters (RFC 9110, token). */
function encodeToken(token: string): string {
  return textToBase64(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/**
 * Browsers ask a person before a public page may reach a program on this machine. After a "no", attempts fail without an
 * explanation.
 */
async function findBlock({ hostname }: URL): Promise<Block | undefined> {
  if (!isLocalHost(hostname) || isLocalHost(location.hostname)) return undefined
  const state = await queryPermission()
  // A page without https is never asked about, whatever the browser reports before the attempt.
  if (state === "denied" || (state === "prompt" && !isSecureContext))
    return {
      state: "blocked",
      reason: isSecureContext
        ? "the browser blocks this site from reaching programs on this device: allow it in the site's settings"
        : "the browser blocks pages without https from reaching programs on this device: open the app over https",
    }
  if (state === "prompt")
    return {
      state: "asking",
      reason: "the browser is asking whether this site may reach programs on this device: allow it to connect",
    }
  return undefined
}

async function queryPermission(): Promise<string | undefined> {
  try {
    // TypeScript does not know this name yet, and not every browser has it. Browsers without it do not ask.
    const { state } = await navigator.permissions.query({ name: "loopback-network" as PermissionName })
    return state
  } catch {
    return undefined
  }
}
