import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  RequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
import type { SdkHandler } from "./sdk-handler.js"
import { internalsOf } from "./server-internals.js"

/** The methods that can be ours. */
export type Method =
  | "tools/list"
  | "tools/call"
  | "resources/list"
  | "resources/templates/list"
  | "resources/read"
  | "resources/subscribe"
  | "resources/unsubscribe"

/**
 * Puts handlers on a server, in the place of those it has.
 *
 * @returns Takes them off and puts back what was there. One that was replaced since stays replaced.
 */
export function putHandlers(
  server: Server,
  handlers: Readonly<Record<Method, SdkHandler>>,
  methods: readonly Method[],
): () => void {
  const present = internalsOf(server).handlers
  const undo = methods.map((method) => {
    const before = present.get(method)
    // Ours check their parameters themselves and say what is wrong; the SDK's schemas would answer -32603.
    server.setRequestHandler(RequestSchema.extend({ method: schemas[method].shape.method }), handlers[method])
    const put = present.get(method)
    return () => {
      if (present.get(method) !== put) return
      if (before === undefined) server.removeRequestHandler(method)
      else present.set(method, before)
    }
  })
  return () => {
    for (const takeOff of undo) takeOff()
  }
}

const schemas = {
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
  "resources/list": ListResourcesRequestSchema,
  "resources/templates/list": ListResourceTemplatesRequestSchema,
  "resources/read": ReadResourceRequestSchema,
  "resources/subscribe": SubscribeRequestSchema,
  "resources/unsubscribe": UnsubscribeRequestSchema,
}
