import { type AgenticService, action, content, createAgenticService, state } from "@x/agentic-service"
import type { BehaviorSubject } from "rxjs"
import { callActions } from "./call-actions.js"
import { contentActions } from "./content-actions.js"
import { taskActions, taskLinks } from "./task-actions.js"

/** The switches set by the suites. */
export interface Switches {
  /** Whether the additional tool exists. */
  readonly tool: BehaviorSubject<boolean>
  /** Whether the additional prompt exists. */
  readonly prompt: BehaviorSubject<boolean>
}

/** Creates the actions and states that the suites require. */
export function createService({ tool, prompt }: Switches): AgenticService {
  return createAgenticService({
    name: "conformance",
    description: "The fixtures that the conformance suites expect of a server",
    states: {
      more_tools: state({
        description: "Whether the additional tool is present",
        schema: { type: "boolean" },
        value: tool,
      }),
    },
    actions: {
      ...contentActions,
      ...callActions,
      ...taskActions,
      test_trigger_tool_change: action({
        description: "Adds or removes a tool",
        execute: () => tool.next(!tool.value),
      }),
      test_trigger_prompt_change: action({
        description: "Adds or removes a prompt",
        execute: () => prompt.next(!prompt.value),
      }),
      test_x_mcp_header: action({
        description: "Takes a region, which HTTP clients also send as a header",
        input: {
          type: "object",
          properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } },
          required: ["region"],
        } as const,
        execute: (input) => content(undefined, [{ type: "text", text: JSON.stringify(input) }]),
      }),
      test_dynamic_tool: action({ description: "Does nothing", readOnly: true, when: tool, execute: () => {} }),
    },
    links: taskLinks,
  })
}
