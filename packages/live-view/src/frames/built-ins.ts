import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "@x/mcp-adapter"
import { createEndpoint, type ToolDefinition } from "@x/mcp-adapter/binding"
import { exposures } from "./exposures.js"
import type { BuiltInNames, ExposureOf } from "./frame.js"

/** The tools of the adapter's own that each exposure lists now. */
export interface BuiltIns {
  /** Their definitions, in the order of the list. */
  of(exposure: ExposureOf): readonly ToolDefinition[]
  /** Their names, by exposure. */
  names(): BuiltInNames
  /** Gives the view back; idempotent. */
  close(): void
}

/** Looks at an endpoint of each exposure, whenever it is asked: what is listed depends on what a service declares by then. */
export function createBuiltIns(adapter: McpAdapter, principal: Principal | undefined): BuiltIns {
  const open = (exposure: ExposureOf) => createEndpoint(adapter, { exposure }).open(principal)
  const connections = { dynamic: open("dynamic"), stable: open("stable"), meta: open("meta") }
  const of = (exposure: ExposureOf): readonly ToolDefinition[] => connections[exposure].builtIns()
  const namesOf = (exposure: ExposureOf): readonly string[] => of(exposure).map(({ name }) => name)
  return {
    of,
    names: () => ({ dynamic: namesOf("dynamic"), stable: namesOf("stable"), meta: namesOf("meta") }),
    close() {
      for (const exposure of exposures) connections[exposure].release()
    },
  }
}
