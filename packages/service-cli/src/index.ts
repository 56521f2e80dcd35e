// The public interface: run a service, or an agent in one file, as a command.

export type { Agent, AgentContext, InvokeOptions } from "./agent/agent.js"
export type {
  AgentContextOptions,
  AgentDefinition,
  AgentOutcome,
  AgentResult,
  AgentReturn,
  AgentService,
  AgentServices,
  AgentTool,
  InvokeLimits,
  LinkedAgent,
} from "./agent/agent-definition.js"
export { agentTool, type TypedAgentTool } from "./agent/agent-definition.js"
export type {
  AgentOption,
  AgentOptions,
  Chosen,
  Defaulted,
  OptionValue,
  OptionValues,
  ValuesByType,
} from "./agent/agent-option.js"
export { type Container, type ContainerOptions, container } from "./agent/container.js"
export { defineAgent, type ProgramModule, type RunAgentOptions, runAgent } from "./agent/define-agent.js"
export type {
  AgentSetting,
  AgentSettings,
  RequiredSetting,
  SettingValues,
  SetUp,
  SetUpOptions,
} from "./agent/settings.js"
export { CliError, type CliErrorCode } from "./cli-error.js"
export type { GivenSettings } from "./command/options.js"
export type { ContextEntry, ContextLimits, ContextNote, ContextQuery } from "./context/context-store.js"
export type { RunOptions } from "./run-options.js"
export { runService } from "./run-service.js"
