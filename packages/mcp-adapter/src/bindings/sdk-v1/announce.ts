import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { AdapterError } from "../../adapter-error.js"
import type { Capabilities } from "../../handlers/capabilities.js"
import { internalsOf } from "./server-internals.js"

/**
 * Has a server announce our capabilities beside its own. One that is connected can announce nothing new, so it must have
 * done so already.
 *
 * @throws AdapterError `already_connected` when it has not.
 */
export function announce(server: Server, capabilities: Capabilities): void {
  if (server.transport === undefined) {
    server.registerCapabilities(capabilities)
    return
  }
  const announced = paths(internalsOf(server).capabilities)
  const missing = paths(capabilities).filter((path) => !announced.includes(path))
  if (missing.length === 0) return
  const names = missing.map((path) => `"${path}"`).join(", ")
  throw new AdapterError(
    "already_connected",
    `the server is connected and does not announce ${names}: bind before it connects, or announce them where it is made`,
  )
}

/** Such as `tools` and `tools.listChanged`. */
function paths(capabilities: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(capabilities).flatMap(([name, settings]) => [
    name,
    ...Object.entries(settings ?? {}).flatMap(([setting, value]) => (value === true ? [`${name}.${setting}`] : [])),
  ])
}
