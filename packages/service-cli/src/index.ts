// For users: what it takes to make a service, or an agent in one file, a command.

export type {
  Agent,
  AgentContext,
  AgentDefinition,
  AgentOutcome,
  AgentResult,
  AgentReturn,
  AgentService,
  AgentServices,
  AgentTool,
  InvokeLimits,
  InvokeOptions,
  LinkedAgent,
} from "./agent/agent.js"
export { agentTool, type TypedAgentTool } from "./agent/agent.js"
export type {
  AgentOption,
  AgentOptions,
  Chosen,
  Defaulted,
  OptionValue,
  OptionValues,
  ValuesByType,
} from "./agent/agent-option.js"
export { defineAgent } from "./agent/define-agent.js"
export { CliError, type CliErrorCode } from "./cli-error.js"
export type { RunOptions } from "./run-options.js"
export { type RunAgentOptions, runAgent, runService } from "./run-service.js"
