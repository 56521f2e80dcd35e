import { toInvalidInput } from "../../calls/check-input.js"
import type { ToolDefinition } from "../../catalogue/entry.js"
import { actionCallSchema, expectedActionCall, toActionCall } from "./action-call.js"
import type { BuiltIn } from "./built-in.js"

/** The tool that calls any action by name, so that a client that never lists again can call what it learns later. */
export const runAction: BuiltIn = createRunAction(
  "Runs an action by its tool name, exactly as calling that tool does. For actions that became available " +
    "after the tools were listed; call listed tools directly.",
)

/** The same tool where no action is listed. */
export const runFoundAction: BuiltIn = createRunAction(
  "Runs an action by the name that `find_actions` tells, whether it changes something or not. For those that it tells " +
    "to run with `run_read_action`, that tool does as well.",
)

function createRunAction(description: string): BuiltIn {
  return {
    definition: Object.freeze<ToolDefinition>({
      name: "run_action",
      title: "Run action",
      description,
      inputSchema: actionCallSchema,
      annotations: { readOnlyHint: false, destructiveHint: true },
    }),
    target: toActionCall,
    run: () => toInvalidInput("run_action", [{ path: [], message: expectedActionCall }]),
  }
}
