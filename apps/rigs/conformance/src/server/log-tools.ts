import { setTimeout as wait } from "node:timers/promises"
import { type RawTool, text } from "./raw-tool.js"

/** Tools that log while they run. */
export const logTools: readonly RawTool[] = [
  {
    name: "test_tool_with_logging",
    description: "Logs three messages",
    async call(_, { peer }) {
      peer?.log("info", "Tool execution started")
      await wait(50)
      peer?.log("info", "Tool processing data")
      await wait(50)
      peer?.log("info", "Tool execution completed")
      return text("Logged three messages")
    },
  },
  {
    name: "test_logging_tool",
    description: "Logs one message of level info",
    async call(_, { peer }) {
      peer?.log("info", "Tool is running", "conformance")
      return text("Logged a message")
    },
  },
]
