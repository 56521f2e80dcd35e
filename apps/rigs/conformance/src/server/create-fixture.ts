import type { AgenticService } from "@x/agentic-service"
import type { Extension } from "@x/mcp-adapter"
import { BehaviorSubject, map, skip } from "rxjs"
import { askTools } from "./ask-tools.js"
import { createService } from "./create-service.js"
import { inputTools } from "./input-tools.js"
import { logTools } from "./log-tools.js"
import { promptMethods } from "./prompts.js"
import { rawToolMethods } from "./raw-tool.js"
import { isResource, resourceMethods } from "./resources.js"
import { schemaTools } from "./schema-tools.js"

/** What the suites expect of a server: a service for what is an action, an extension for the rest of MCP. */
export interface Fixture {
  /** The actions and states. */
  readonly service: AgenticService
  /** Prompts, completion, logging, questions to the client, tools and resources written down as MCP wants them. */
  readonly extension: Extension
}

/** A server's worth of fixtures, with nothing switched on. */
export function createFixture(): Fixture {
  const tool = new BehaviorSubject(false)
  const prompt = new BehaviorSubject(false)
  return {
    service: createService({ tool, prompt }),
    extension: {
      methods: {
        ...rawToolMethods([...logTools, ...askTools, ...inputTools, ...schemaTools]),
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
