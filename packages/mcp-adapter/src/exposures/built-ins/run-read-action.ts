import type { Outcome } from "@x/agentic-service"
import { toInvalidInput } from "../../calls/check-input.js"
import type { ToolDefinition } from "../../catalogue/entry.js"
import type { View } from "../../catalogue/view.js"
import { actionCallSchema, expectedActionCall, toActionCall } from "./action-call.js"
import type { BuiltIn } from "./built-in.js"

/** The tool that calls by name what changes nothing, so that hosts can let it pass without asking. */
export const runReadAction: BuiltIn = {
  definition: Object.freeze<ToolDefinition>({
    name: "run_read_action",
    title: "Run read-only action",
    description:
      "Runs an action that changes nothing, by the name that `find_actions` tells. Others are refused: run them with " +
      "`run_action`.",
    inputSchema: actionCallSchema,
    annotations: { readOnlyHint: true, destructiveHint: false },
  }),
  target(args, view) {
    const action = toActionCall(args)
    return action !== undefined && mayRun(view, action.name) ? action : undefined
  },
  run(args) {
    const action = toActionCall(args)
    if (action === undefined) return toInvalidInput("run_read_action", [{ path: [], message: expectedActionCall }])
    return refuse(action.name)
  },
}

/** A name that means nothing is for the call to refuse, as everywhere. */
function mayRun(view: View, name: string): boolean {
  const resolved = view.resolve(name)
  return resolved.status === "unknown" || resolved.entry.definition.annotations.readOnlyHint === true
}

function refuse(name: string): Outcome {
  return {
    ok: false,
    code: "not_read_only",
    message: `action "${name}" may change something, and "run_read_action" runs only what is marked as read-only`,
    recovery: 'run it with "run_action"',
  }
}
