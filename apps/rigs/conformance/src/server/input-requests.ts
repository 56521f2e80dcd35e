import type { Params, Result } from "@x/mcp-adapter"
import { toObject } from "./raw-tool.js"

/** A request for input from the client, for either era. */
export interface InputRequest {
  /** The MCP method. */
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list"
  /** The method's parameters. */
  readonly params: Params
}

/** Asks the person to fill in a form. */
export function elicit(message: string, properties: Params, required: readonly string[] = []): InputRequest {
  const requestedSchema = { type: "object", properties, ...(required.length > 0 && { required }) }
  return { method: "elicitation/create", params: { message, requestedSchema } }
}

/** Asks the client's model. */
export function sample(prompt: string, maxTokens: number): InputRequest {
  const messages = [{ role: "user", content: { type: "text", text: prompt } }]
  return { method: "sampling/createMessage", params: { messages, maxTokens } }
}

/** Asks for the client's roots. */
export const listRoots: InputRequest = { method: "roots/list", params: {} }

/** Returns a result that asks for input. The client repeats its request with the answers (2026-07-28, basic/patterns/mrtr). */
export function inputRequired(inputRequests: Readonly<Record<string, InputRequest>>, requestState?: string): Result {
  return { resultType: "input_required", inputRequests, ...(requestState !== undefined && { requestState }) }
}

/** Returns a person's accepted answer to a key; `undefined` if they did not answer or accept. */
export function accepted(responses: Params | undefined, key: string): Params | undefined {
  const response = toObject(responses?.[key])
  return response["action"] === "accept" ? toObject(response["content"]) : undefined
}
