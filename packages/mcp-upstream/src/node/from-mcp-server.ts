import { createUpstream } from "../create-upstream.js"
import {
  checkServer,
  fromMcpServer as fromReachable,
  type TransportServer,
  type UrlServer,
} from "../from-mcp-server.js"
import { secretsOfArguments } from "../trust/redact.js"
import type { Upstream, UpstreamOptions } from "../upstream.js"
import { type CommandServer, createChildTransport } from "./child-transport.js"

/**
 * Makes a service of a server: a command, a URL, or whatever has a transport. A command is started once somebody looks, started
 * again when it ends, and ended with the service, with all that it started, also when this process is killed.
 *
 * @throws UpstreamError `invalid_option` for a server that cannot be.
 * @example
 * ```ts
 * import { fromMcpServer } from "@x/mcp-upstream/node"
 *
 * const memory = fromMcpServer({ command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] }, { name: "memory" })
 * console.log(memory.name) // memory
 * await memory.close()
 * ```
 */
export function fromMcpServer(
  server: CommandServer | UrlServer | TransportServer,
  options: UpstreamOptions = {},
): Upstream {
  if (!("command" in server)) return fromReachable(server, options)
  checkServer(server, ["command", "args", "env", "cwd", "maxMessageBytes"])
  const { command, args = [], env = {} } = server
  const to = { label: command, child: true, open: createChildTransport.bind(undefined, server) }
  return createUpstream({ to, secrets: [...Object.values(env), ...secretsOfArguments(args)] }, options)
}
