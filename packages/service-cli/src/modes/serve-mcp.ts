import { serveStdio } from "@x/mcp-adapter/stdio"
import { expectSupported } from "./expect-supported.js"
import type { ModeSite } from "./mode-site.js"
import { untilSignal } from "./until-signal.js"

/**
 * Serves one client over standard input and output until its input ends or the process is told to. Where the process is the
 * command's own, it ends there, and with its parent.
 */
export async function serveMcp({ adapter, command, options }: ModeSite): Promise<number> {
  expectSupported("--mcp", command, options)
  const { exit = true, onStart, onExit } = options
  await onStart?.()
  const server = serveStdio(adapter, { ...options.stdio, exit, ...(onExit && { onExit }) })
  const release = exit ? () => {} : untilSignal(() => void server.close())
  await server.closed
  release()
  // The process is about to end, with its own last steps.
  return exit ? new Promise(() => undefined) : 0
}
