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
 * Creates a service from a server: a command, a URL or a transport. A command starts at the first subscription or call and
 * restarts when it exits. It ends with the service, as do all processes that it started, even if this process is killed.
 *
 * @throws UpstreamError `invalid_option` if the server's options are invalid.
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
