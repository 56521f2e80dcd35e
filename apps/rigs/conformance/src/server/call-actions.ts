import { setTimeout as wait } from "node:timers/promises"
import { type ActionDeclaration, action, content, fail } from "@x/agentic-service"

/** One action for each thing that can happen in a call. */
export const callActions: Readonly<Record<string, ActionDeclaration>> = {
  test_error_handling: action({
    description: "Fails",
    readOnly: true,
    execute: () => fail("This tool intentionally returns an error for testing"),
  }),
  test_tool_with_progress: action({
    description: "Reports progress",
    readOnly: true,
    async execute(_, { progress }) {
      for (const done of [0, 50, 100]) {
        progress({ progress: done, total: 100, message: `Completed step ${done} of 100` })
        await wait(50)
      }
      return content(undefined, [{ type: "text", text: "Done in three steps" }])
    },
  }),
  test_reconnection: action({
    description: "Returns after a delay, so that the answer has become a stream",
    readOnly: true,
    async execute() {
      await wait(6_000)
      return content(undefined, [{ type: "text", text: "Reconnection test completed" }])
    },
  }),
  test_streaming_elicitation: action({
    description: "Returns text without asking",
    readOnly: true,
    execute: () => content(undefined, [{ type: "text", text: "Nothing was asked" }]),
  }),
}
