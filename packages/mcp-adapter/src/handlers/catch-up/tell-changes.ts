import type { SettledCall } from "../../calls/call-answer.js"
import type { CallContext } from "../../calls/call-context.js"
import type { HandlerOptions } from "../handler-options.js"
import type { ToolResult } from "../to-tool-result.js"
import { addCatchUp } from "./add-catch-up.js"
import { awaitChanges } from "./await-changes.js"
import { toCatchUp } from "./catch-up.js"
import { createPatience } from "./patience.js"

/** Adds to the result of a call what has changed since it began, once it can be seen, as far as the options want it. */
export type TellChanges = (answer: SettledCall, result: ToolResult, context: CallContext) => Promise<ToolResult>

/** Tells the changes of one view. */
export function createTellChanges(options: HandlerOptions): TellChanges {
  const { view, catchUp, states } = options
  const patience = createPatience()
  return async (answer, result, { signal }) => {
    const notes = await awaitChanges(answer, { ...options, signal, patience })
    if (catchUp === undefined && notes.length === 0) return result
    const diff = catchUp === undefined ? nothing : view.readSince(answer.revision)
    return addCatchUp(
      result,
      toCatchUp(diff, { states, at: view.at, budget: catchUp?.budget ?? 0, notes }),
      answer.entry,
    )
  }
}

const unchanged = { appeared: [], vanished: [], redefined: [] } as const
const nothing = { tools: unchanged, states: unchanged, links: unchanged, values: [] } as const
