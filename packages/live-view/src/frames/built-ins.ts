import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "@x/mcp-adapter"
import { createEndpoint, type ListedItemTool, type ToolDefinition } from "@x/mcp-adapter/binding"
import type { BuiltInNames, ExposureOf } from "./frame.js"
import { exposures } from "./frame.js"

/** The built-in tools that each exposure lists now. */
export interface BuiltIns {
  /** Returns their definitions, in list order. */
  of(exposure: ExposureOf): readonly ToolDefinition[]
  /** Returns the tools that stand for actions of several items in the exposure `grouped`. */
  items(): readonly ListedItemTool[]
  /** Returns their names, by exposure. */
  names(): BuiltInNames
  /** Releases the view; idempotent. */
  close(): void
}

/** Reads an endpoint of each exposure on every call, because the built-in tools depend on the service's declarations. */
export function createBuiltIns(adapter: McpAdapter, principal: Principal | undefined): BuiltIns {
  const open = (exposure: ExposureOf) => createEndpoint(adapter, { exposure }).open(principal)
  const connections = {
    dynamic: open("dynamic"),
    stable: open("stable"),
    meta: open("meta"),
    grouped: open("grouped"),
  }
  const of = (exposure: ExposureOf): readonly ToolDefinition[] => connections[exposure].builtIns()
  const namesOf = (exposure: ExposureOf): readonly string[] => of(exposure).map(({ name }) => name)
  return {
    of,
    items: () => connections.grouped.itemTools(),
    names: () => ({
      dynamic: namesOf("dynamic"),
      stable: namesOf("stable"),
      meta: namesOf("meta"),
      grouped: connections.grouped.itemTools().map(({ definition: { name }, actions }) => ({ name, actions })),
    }),
    close() {
      for (const exposure of exposures) connections[exposure].release()
    },
  }
}
