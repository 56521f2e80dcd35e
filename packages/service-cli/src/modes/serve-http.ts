import { serveHttp as serve } from "@x/mcp-adapter/http"
import { CliError } from "../cli-error.js"
import { print, tell } from "../terminal/write.js"
import { expectSupported } from "./expect-supported.js"
import type { ModeSite } from "./mode-site.js"
import { toAddress } from "./to-address.js"
import { untilSignal } from "./until-signal.js"

/**
 * Serves over HTTP until the process is told to end, and prints the URL once it listens. Where the process is the command's
 * own, it ends there.
 */
export async function serveHttp({ adapter, command, options }: ModeSite, address: string | undefined): Promise<number> {
  expectSupported("--http", command, options)
  const { exit = true, onStart, onExit } = options
  const where = { ...options.http, ...(address !== undefined && toAddress(address)) }
  await onStart?.()
  const server = await serve(adapter, { ...where, exit, ...(onExit && { onExit }) }).catch((cause: unknown) => {
    throw new CliError("unavailable", cause instanceof Error ? cause.message : String(cause), { cause })
  })
  if (!isLocal(where.host) && where.authenticate === undefined)
    tell(command.name, `anybody who reaches "${where.host}" can call it: "authenticate" is not set`)
  await print(`${server.url}\n`)
  const release = exit ? () => {} : untilSignal(() => void server.close())
  await server.closed
  release()
  // The process is about to end, with its own last steps.
  return exit ? new Promise(() => undefined) : 0
}

function isLocal(host = "127.0.0.1"): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.")
}
