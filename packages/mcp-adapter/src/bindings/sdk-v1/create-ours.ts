import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { Endpoint } from "../../endpoint.js"
import type { Handler } from "../../handlers/handlers.js"
import { METHOD_NOT_FOUND, ProtocolError } from "../../handlers/protocol-error.js"
import { afterNotices } from "../server/after-notices.js"
import type { Attachment } from "./create-attachment.js"
import type { Method } from "./put-handlers.js"
import { putQuestions } from "./put-questions.js"
import type { SdkHandler } from "./sdk-handler.js"
import { toCall } from "./to-call.js"

/** The neutral handlers as SDK v1 calls them, for whoever sends each request. */
export function createOurs(endpoint: Endpoint, server: Server, attachment: Attachment): (method: Method) => SdkHandler {
  return (method) =>
    async ({ params = {} }, extra) => {
      const { connection, caller } = await attachment.of(extra)
      const handler = connection.handlers[method] ?? connection.subscriptions.handlers[method] ?? notFound
      const answer = method === "tools/call" ? afterNotices(endpoint, putQuestions(handler)) : handler
      const call = toCall(caller, server, extra)
      return answer(params, call.context).finally(call.end)
    }
}

const notFound: Handler = async () => {
  throw new ProtocolError(METHOD_NOT_FOUND, "Method not found")
}
