import { toInvalidInput } from "../../calls/check-input.js"
import type { ToolDefinition } from "../../catalogue/entry.js"
import {
  actionCallSchema,
  confirmedCallSchema,
  expectedActionCall,
  toActionCall,
  toConfirmedCall,
} from "./action-call.js"
import type { BuiltIn } from "./built-in.js"

/** How `run_action` is made. */
export interface RunActionOptions {
  /** Whether actions are listed beside it. Default `true`. */
  readonly listed?: boolean
  /** Whether it takes the tokens of calls that were to be confirmed. Default `false`. */
  readonly confirm?: boolean
}

/** The tool that calls any action by name, so that a client that never lists again can call what it learns later. */
export function createRunAction({ listed = true, confirm = false }: RunActionOptions = {}): BuiltIn {
  return {
    definition: Object.freeze<ToolDefinition>({
      name: "run_action",
      title: "Run action",
      description: listed ? BESIDE_LISTED : FOUND,
      inputSchema: confirm ? confirmedCallSchema : actionCallSchema,
      annotations: { readOnlyHint: false, destructiveHint: true },
    }),
    target: confirm ? toConfirmedCall : toActionCall,
    run: () =>
      toInvalidInput("run_action", [{ path: [], message: confirm ? expectedConfirmedCall : expectedActionCall }]),
  }
}

const BESIDE_LISTED =
  "Runs an action by its tool name, exactly as calling that tool does. For actions that became available " +
  "after the tools were listed; call listed tools directly."

const FOUND =
  "Runs an action by the name that `find_actions` tells, whether it changes something or not. For those that it tells " +
  "to run with `run_read_action`, that tool does as well."

const expectedConfirmedCall =
  'expected "name", a string, "arguments", an optional object, "confirm", an optional string, and nothing else'
