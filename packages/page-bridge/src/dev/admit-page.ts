import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { createGuard } from "@x/mcp-adapter/binding"
import type { RequestHead } from "@x/mcp-adapter/http"
import type { DevOptions } from "./dev-options.js"

/** Whether a request is from this machine: by its address, since any `Host` or `Origin` can be forged, and not through a proxy for others. */
export function isLocal({ socket, headers }: IncomingMessage): boolean {
  if (!LOOPBACK.test(socket.remoteAddress ?? "")) return false
  if (headers.forwarded !== undefined || headers.via !== undefined) return false
  const through = [headers["x-forwarded-for"], headers["x-real-ip"]].flat().join(",").split(",")
  return through.every((address) => address.trim() === "" || LOOPBACK.test(address.trim()))
}

const LOOPBACK = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/i

/**
 * Decides whether a page may connect to a development server, by the request that its connection began with and the token that it
 * sent. Returns why it may not, in words for the developer, or `undefined` if it may.
 */
export type AdmitPage = (request: IncomingMessage | undefined, token: string | undefined) => string | undefined

/** Admits pages by their address, their `Host`, their `Origin` and a token. */
export function createPageAdmission(
  { allowedHosts, allowedOrigins }: Pick<DevOptions, "allowedHosts" | "allowedOrigins">,
  token: string,
): AdmitPage {
  const guard = createGuard({
    ...(allowedHosts && { allowedHosts: [...LOCAL, ...allowedHosts] }),
    allowedOrigins: [...LOCAL, ...(allowedHosts ?? []), ...(allowedOrigins ?? [])],
  })
  /** Why its headers keep it out. */
  const findHeaderFault = ({ headers: { host = "", origin } }: IncomingMessage): string | undefined => {
    const headOf = (headers: Readonly<Record<string, string>>): RequestHead => ({
      method: "GET",
      url: `http://${host}/`,
      headers: { get: (name) => headers[name] ?? null },
    })
    if (guard.refusesHost(headOf({ host })) !== undefined) return `its Host is ${JSON.stringify(host)}: ${REMEDY}`
    if (origin === undefined) return "it names no Origin, as every browser does"
    return guard.refuses(headOf({ host, origin })) === undefined
      ? undefined
      : `its Origin is ${JSON.stringify(origin)}: name it in \`allowedOrigins\` to let it in`
  }
  return (request, given) => {
    if (request === undefined) return "its connection is unknown to this server: reload the page"
    if (allowedHosts === undefined && !isLocal(request)) return `it is not on this machine: ${REMEDY}`
    const fault = findHeaderFault(request)
    if (fault !== undefined) return fault
    return isSame(given, token) ? undefined : "it does not have the token of this server: reload the page"
  }
}

const LOCAL = ["localhost", "127.0.0.1", "[::1]"]

const REMEDY = "name in `allowedHosts` how others reach this server to let their pages in"

/** Compares in a time that says nothing of where a guess differs. */
function isSame(given: string | undefined, token: string): boolean {
  const [one, other] = [given ?? "", token].map((text) => new TextEncoder().encode(text))
  return one !== undefined && other !== undefined && one.length === other.length && timingSafeEqual(one, other)
}
