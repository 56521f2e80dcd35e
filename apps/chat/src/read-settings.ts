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
  /** Which doors there are: MCP at `/mcp`, the plain API at `/v1/chat`, or both. */
  readonly serves: "both" | "mcp" | "api"
}

/** What the environment can say. */
export const usage = `Serves a chat agent over MCP and plain HTTP.

  PORT             the port to listen on, by default 3000; 0 for any free one
  CHAT_API_KEY     the key for /v1/chat, by default a new one every time
  OPENAI_BASE_URL  an endpoint that speaks OpenAI's API; without it, rules answer
  OPENAI_MODEL     which model, by default gpt-4o-mini
  OPENAI_API_KEY   the endpoint's key, where it wants one

  --mcp_enable=true|false  whether MCP is there beside the API, by default true; or AGENT_MCP_ENABLE
  --mcp_only=true|false    whether MCP is there alone, by default false; or AGENT_MCP_ONLY`

/**
 * Reads the environment and the command line, of which the command line wins.
 *
 * @throws Error in words for whoever set it.
 */
export function readSettings(env: NodeJS.ProcessEnv, args: readonly string[] = []): Settings {
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
    serves: readDoors(env, args),
  }
}

/** The flags, as one of the earlier designs has them, each with its variable. */
const FLAGS = { mcp_enable: "AGENT_MCP_ENABLE", mcp_only: "AGENT_MCP_ONLY" } as const

function readDoors(env: NodeJS.ProcessEnv, args: readonly string[]): Settings["serves"] {
  const given: Partial<Record<keyof typeof FLAGS, boolean>> = {}
  for (const [flag, variable] of Object.entries(FLAGS))
    if (env[variable]) Object.assign(given, { [flag]: readFlag(variable, env[variable]) })
  for (const arg of args) {
    const [, flag = "", text = "true"] = /^--(\w+)(?:=(.*))?$/s.exec(arg) ?? []
    if (!Object.hasOwn(FLAGS, flag))
      throw new Error(`found ${JSON.stringify(arg)}: expected --mcp_enable or --mcp_only, each with =true or =false`)
    Object.assign(given, { [flag]: readFlag(`--${flag}`, text) })
  }
  const { mcp_enable: enable = true, mcp_only: only = false } = given
  if (only && given.mcp_enable === false)
    throw new Error("MCP cannot be off and alone: drop --mcp_enable or --mcp_only")
  return only ? "mcp" : enable ? "both" : "api"
}

function readFlag(name: string, text: string): boolean {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true"
  throw new Error(`${name} is ${JSON.stringify(text)}: expected true or false`)
}
