import type { RunOptions } from "../run-options.js"
import { runService } from "../run-service.js"
import type { Agent } from "./agent.js"
import { isMain } from "./is-main.js"

/** How an agent is run; what an agent says of itself cannot be changed here. */
export type RunAgentOptions = Omit<
  RunOptions,
  "name" | "version" | "description" | "primary" | "mcpSupported" | "onStart" | "onExit"
>

/**
 * Makes an agent a command, where its module is the program that was started; does nothing where it is imported. With no
 * action named, the agent itself runs. Its MCP server has its tools and nothing else, unless the options say otherwise.
 *
 * @param module - `import.meta` of the agent's file.
 */
export async function runAgent(
  agent: Agent,
  module: { readonly url: string },
  options: RunAgentOptions = {},
): Promise<void> {
  if (!isMain(module)) return
  const { name, version, description, primary, mcpSupported, start, stop } = agent
  const said = { name, version, primary, mcpSupported, ...(description !== undefined && { description }) }
  await runService(agent, process.argv, {
    ...options,
    ...said,
    stdio: { ...TOOLS_ONLY, ...options.stdio },
    http: { ...TOOLS_ONLY, ...options.http },
    onStart: start,
    onExit: stop,
  })
}

const TOOLS_ONLY = { states: "omit", runAction: false, listLinks: false } as const
