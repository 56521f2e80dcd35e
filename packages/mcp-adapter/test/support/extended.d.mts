import type { AgenticService } from "@x/agentic-service"
import type { Extension } from "../../src/handlers/extension.js"

/** A service that shows every kind of content, and an extension that offers the rest of MCP. */
export function createExtended(): { readonly service: AgenticService; readonly extension: Extension }
