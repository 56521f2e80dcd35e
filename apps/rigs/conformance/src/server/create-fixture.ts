import type { AgenticService } from "@x/agentic-service"
import type { Extension, McpAdapterOptions } from "@x/mcp-adapter"
import { BehaviorSubject, map, skip } from "rxjs"
import { askTools } from "./ask-tools.js"
import { createService } from "./create-service.js"
import { inputTools } from "./input-tools.js"
import { logTools } from "./log-tools.js"
import { promptMethods } from "./prompts.js"
import { rawToolMethods } from "./raw-tool.js"
import { isResource, resourceMethods } from "./resources.js"
import { schemaTools } from "./schema-tools.js"
import { requireTasks } from "./task-actions.js"

/** The server that the suites expect. */
export interface Fixture {
  /** The actions and states. */
  readonly service: AgenticService
  /** The extension for all else: prompts, completion, logging, elicitation, and tools and resources as MCP defines them. */
  readonly extension: Extension
  /** The options of the adapter: calls of long actions become tasks before they run. */
  readonly options: Pick<McpAdapterOptions, "tasks">
}

/** Creates the fixtures of one server, with every switch off. */
export function createFixture(): Fixture {
  const tool = new BehaviorSubject(false)
  const prompt = new BehaviorSubject(false)
  return {
    service: createService({ tool, prompt }),
    options: { tasks: { patienceMs: 0 } },
    extension: {
      methods: {
        ...requireTasks(rawToolMethods([...logTools, ...askTools, ...inputTools, ...schemaTools])),
        ...promptMethods(prompt),
        ...resourceMethods,
      },
      capabilities: () => ({ prompts: { listChanged: true }, logging: {} }),
      hasResource: isResource,
      notices: prompt.pipe(
        skip(1),
        map(() => ({ kind: "prompts" })),
      ),
    },
  }
}
