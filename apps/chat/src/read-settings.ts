import { randomUUID } from "node:crypto"
import type { ModelOptions } from "./respond/respond-with-model.js"

/** How the chat was started. */
export interface Settings {
  /** The port to listen on; 0 takes any free one. */
  readonly port: number
  /** What clients of `/v1/chat` have to send. */
  readonly key: string
  /** The model that answers; without one, rules do. */
  readonly model: ModelOptions | undefined
}

/** What the environment can say. */
export const usage = `Serves a chat agent over MCP and plain HTTP.

  PORT             the port to listen on, by default 3000; 0 for any free one
  CHAT_API_KEY     the key for /v1/chat, by default a new one every time
  OPENAI_BASE_URL  an endpoint that speaks OpenAI's API; without it, rules answer
  OPENAI_MODEL     which model, by default gpt-4o-mini
  OPENAI_API_KEY   the endpoint's key, where it wants one`

/**
 * Reads the environment.
 *
 * @throws Error in words for whoever set it.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const baseUrl = env["OPENAI_BASE_URL"]
  if (baseUrl && !URL.canParse(baseUrl)) throw new Error(`OPENAI_BASE_URL is "${baseUrl}": expected a URL`)
  const port = Number(env["PORT"] || "3000")
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`PORT is "${env["PORT"]}": expected a whole number from 0 to 65535`)
  }
  return {
    port,
    key: env["CHAT_API_KEY"] || randomUUID(),
    model: baseUrl
      ? { baseUrl, apiKey: env["OPENAI_API_KEY"] || "none", model: env["OPENAI_MODEL"] || "gpt-4o-mini" }
      : undefined,
  }
}
