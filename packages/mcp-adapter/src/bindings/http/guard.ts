import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server"

/** Which hosts and origins may reach a server. */
export interface GuardOptions {
  /**
   * Host names the `Host` header may carry, without port; IPv6 in brackets. Default: `localhost`, `127.0.0.1`, `[::1]`.
   * This is what keeps a web page from reaching a local server under a name of its own (DNS rebinding).
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Host names of the origins a browser may call from, without scheme and port; `<scheme>://*` for all extensions of a
   * browser. They get CORS headers; any other `Origin` is a 403. Default: the names of this machine, as for hosts.
   */
  readonly allowedOrigins?: readonly string[]
}

/** Decides who may talk to an endpoint at all, before anything is read: the answer that refuses a request, or `undefined`. */
export type Guard = (request: Request) => Response | undefined

/** The SDK's Host and Origin checks (2026-07-28, basic/transports/streamable-http, security), with our defaults. */
export function createGuard(options: GuardOptions): Guard {
  const hosts = [...(options.allowedHosts ?? localhostAllowedHostnames())]
  const origins = [...(options.allowedOrigins ?? localhostAllowedOrigins())]
  return (request) => hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, origins)
}
