// For users: what it takes to make a service, or an agent in one file, a command.

export type { Agent } from "./agent/agent.js"
export type { AgentContext, InvokeOptions } from "./agent/agent-context.js"
export type {
  AgentDefinition,
  AgentOutcome,
  AgentResult,
  AgentReturn,
  AgentTool,
  InvokeLimits,
  LinkedAgent,
} from "./agent/agent-definition.js"
export type {
  AgentOption,
  AgentOptions,
  Chosen,
  Defaulted,
  OptionValue,
  OptionValues,
  ValuesByType,
} from "./agent/agent-option.js"
export type { AgentService, AgentServices } from "./agent/agent-service.js"
export { agentTool, type TypedAgentTool } from "./agent/agent-tool.js"
export { defineAgent } from "./agent/define-agent.js"
export { type RunAgentOptions, runAgent } from "./agent/run-agent.js"
export { CliError, type CliErrorCode } from "./cli-error.js"
export type { RunOptions } from "./run-options.js"
export { runService } from "./run-service.js"
