import { fromMcpServer } from "../node/from-mcp-server.js"
import type { Upstream, UpstreamOptions } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import type { GatewayServer } from "./gateway-config.js"
import type { SeenFile } from "./seen-file.js"
import type { SignIns } from "./sign-in.js"

/** The parts of a gateway that servers need. */
export interface StartOptions {
  /** Stores the tool definitions of servers with `onChange: "hold"`. Default: none. */
  readonly seen?: Pick<SeenFile, "store">
  /** The sign-ins to servers reached by URL. Default: none. */
  readonly signIns?: Pick<SignIns, "provider" | "send">
}

/**
 * Creates the upstream of one server. It connects on first use.
 *
 * @throws UpstreamError `invalid_option` if the server's options are invalid.
 */
export function startServer(name: string, server: GatewayServer, { seen: seenFile, signIns }: StartOptions): Upstream {
  const { command, args, env, cwd, url, headers, type } = server
  const seen = seenFile?.store(name)
  const options = { ...toOptions(name, server), ...(seen && { seen }) }
  if (command !== undefined) {
    const around = { ...(args && { args }), ...(env && { env }), ...(cwd && { cwd }) }
    return fromMcpServer({ command, ...around }, options)
  }
  if (url === undefined)
    throw new UpstreamError(`server "${name}" has neither "command" nor "url"`, { code: "invalid_option" })
  const signsIn = server.oauth !== false && !Object.keys(headers ?? {}).some((key) => /^authorization$/i.test(key))
  const auth = signsIn && signIns && { auth: signIns.provider(name, server), fetch: signIns.send(name, server) }
  const way = type?.toLowerCase() === "sse" ? "sse" : "http"
  return fromMcpServer({ url, type: way, ...(headers && { headers }), ...auth }, options)
}

function toOptions(name: string, server: GatewayServer): UpstreamOptions {
  const { include, exclude, rename, onChange, ownConnection, era, limits, mayAsk, description } = server
  return {
    name,
    plainNames: server.prefix === false,
    ...(description && { description }),
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(rename && { rename }),
    ...(onChange && { onChange }),
    ...(ownConnection !== undefined && { ownConnection }),
    ...(era && { era }),
    ...(mayAsk && { mayAsk }),
    ...(limits && { limits }),
  }
}
