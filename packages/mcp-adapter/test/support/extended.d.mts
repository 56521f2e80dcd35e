import type { AgenticService } from "@x/agentic-service"
import type { Extension } from "../../src/handlers/extension.js"

/** Creates a service with every kind of content, and an extension with the rest of MCP. */
export function createExtended(): { readonly service: AgenticService; readonly extension: Extension }
