// For users: what it takes to make a service a command.

export { CliError, type CliErrorCode } from "./cli-error.js"
export type { RunOptions } from "./run-options.js"
export { runService } from "./run-service.js"
