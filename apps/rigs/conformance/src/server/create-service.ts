import { type AgenticService, action, createAgenticService, state } from "@x/agentic-service"
import type { BehaviorSubject } from "rxjs"
import { callActions } from "./call-actions.js"
import { contentActions } from "./content-actions.js"

/** What the suites switch on and off. */
export interface Switches {
  /** Whether there is one tool more. */
  readonly tool: BehaviorSubject<boolean>
  /** Whether there is one prompt more. */
  readonly prompt: BehaviorSubject<boolean>
}

/** Everything the suites ask for that is an action or a state. */
export function createService({ tool, prompt }: Switches): AgenticService {
  return createAgenticService({
    name: "conformance",
    description: "What the conformance suites expect of a server",
    states: {
      more_tools: state({ description: "Whether there is one tool more", schema: { type: "boolean" }, value: tool }),
    },
    actions: {
      ...contentActions,
      ...callActions,
      test_trigger_tool_change: action({
        description: "Adds or removes a tool",
        execute: () => tool.next(!tool.value),
      }),
      test_trigger_prompt_change: action({
        description: "Adds or removes a prompt",
        execute: () => prompt.next(!prompt.value),
      }),
      test_dynamic_tool: action({ description: "Does nothing", readOnly: true, when: tool, execute: () => {} }),
    },
  })
}
