import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { isLoopbackAddress, LOCAL_HOSTS } from "@x/base"
import { createGuard } from "@x/mcp-adapter/binding"
import type { RequestHead } from "@x/mcp-adapter/http"
import type { DevOptions } from "./dev-options.js"

/**
 * Whether a request comes from this machine: by its address, since `Host` and `Origin` can be forged, and not through a proxy
 * for other clients.
 */
export function isLocal({ socket, headers }: IncomingMessage): boolean {
  if (!isLoopbackAddress(socket.remoteAddress ?? "")) return false
  if (headers.forwarded !== undefined || headers.via !== undefined) return false
  const through = [headers["x-forwarded-for"], headers["x-real-ip"]].flat().join(",").split(",")
  return through.every((address) => address.trim() === "" || isLoopbackAddress(address.trim()))
}

/**
 * Decides whether a page may connect to a development server, by its connection's first request and the token it sent. Returns
 * the reason for a rejection, as developers read it, or `undefined`.
 */
export type AdmitPage = (request: IncomingMessage | undefined, token: string | undefined) => string | undefined

/** Creates an admission that checks address, `Host`, `Origin` and token. */
export function createPageAdmission(
  { allowedHosts, allowedOrigins }: Pick<DevOptions, "allowedHosts" | "allowedOrigins">,
  token: string,
): AdmitPage {
  const guard = createGuard({
    ...(allowedHosts && { allowedHosts: [...LOCAL_HOSTS, ...allowedHosts] }),
    allowedOrigins: [...LOCAL_HOSTS, ...(allowedHosts ?? []), ...(allowedOrigins ?? [])],
  })
  /** Returns the reason to reject these headers, if any. */
  const findHeaderFault = ({ headers: { host = "", origin } }: IncomingMessage): string | undefined => {
    const headOf = (headers: Readonly<Record<string, string>>): RequestHead => ({
      method: "GET",
      url: `http://${host}/`,
      headers: { get: (name) => headers[name] ?? null },
    })
    if (guard.refusesHost(headOf({ host })) !== undefined)
      return `found the Host ${JSON.stringify(host)}, expected this machine: ${REMEDY}`
    if (origin === undefined) return "found no Origin header, expected one as browsers send it"
    return guard.refuses(headOf({ host, origin })) === undefined
      ? undefined
      : `found the Origin ${JSON.stringify(origin)}: add it to \`allowedOrigins\` to admit its pages`
  }
  return (request, given) => {
    if (request === undefined) return "this server does not know the page's connection: reload the page"
    if (allowedHosts === undefined && !isLocal(request)) return `the page is not on this machine: ${REMEDY}`
    const fault = findHeaderFault(request)
    if (fault !== undefined) return fault
    return isSame(given, token) ? undefined : "the page does not have this server's token: reload the page"
  }
}

const REMEDY = "to admit pages from elsewhere, add the host name they use to `allowedHosts`"

/** Compares in constant time. */
function isSame(given: string | undefined, token: string): boolean {
  const [one, other] = [given ?? "", token].map((text) => new TextEncoder().encode(text))
  return one !== undefined && other !== undefined && one.length === other.length && timingSafeEqual(one, other)
}
