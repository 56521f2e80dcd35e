import type { AuthoredJsonSchema, InputOf } from "@x/agentic-service"
import type { AgentContext } from "./agent-context.js"
import type { AgentReturn, AgentTool } from "./agent-definition.js"

/** A further tool whose handler gets its input as the schema says. */
export interface TypedAgentTool<Schema extends AuthoredJsonSchema> extends Omit<AgentTool, "inputSchema" | "handler"> {
  /** JSON Schema of its input. */
  readonly inputSchema: Schema
  /** Does the work, on checked input. */
  handler(input: InputOf<Schema>, context: AgentContext): AgentReturn
}

/** Declares a further tool of an agent, so that its schema gives `handler` its types; a plain object does, too, without. */
export function agentTool<const Schema extends AuthoredJsonSchema>(tool: TypedAgentTool<Schema>): AgentTool
export function agentTool(tool: AgentTool): AgentTool {
  return tool
}
