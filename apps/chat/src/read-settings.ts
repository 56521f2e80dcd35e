import { randomUUID } from "node:crypto"
import type { ModelOptions } from "./respond/respond-with-model.js"

/** The chat's settings. */
export interface Settings {
  /** The listening port; 0 for any free port. */
  readonly port: number
  /** The API key for `/v1/chat`. */
  readonly key: string
  /** The answering model. Default: built-in rules answer. */
  readonly model: ModelOptions | undefined
  /** The endpoints to serve: MCP at `/mcp`, the plain API at `/v1/chat`, or both. */
  readonly serves: "both" | "mcp" | "api"
}

/** The output of `--help`. */
export const usage = `Serves a chat agent over MCP and plain HTTP.

  PORT             the port to listen on (default 3000); 0 for any free one
  CHAT_API_KEY     the key for /v1/chat (default: a new one on each start)
  OPENAI_BASE_URL  an OpenAI-compatible endpoint (default: none; built-in rules answer)
  OPENAI_MODEL     the model (default gpt-4o-mini)
  OPENAI_API_KEY   the endpoint's key, if required

  --mcp_enable=true|false  serve MCP beside the API (default true); or AGENT_MCP_ENABLE
  --mcp_only=true|false    serve MCP alone (default false); or AGENT_MCP_ONLY`

/**
 * Reads settings from the environment and the command line, which takes precedence.
 *
 * @throws Error whose message names the faulty setting.
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

/** The flags, with the variables that replace them. */
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
    throw new Error("MCP cannot be disabled and served alone: drop --mcp_enable or --mcp_only")
  return only ? "mcp" : enable ? "both" : "api"
}

function readFlag(name: string, text: string): boolean {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true"
  throw new Error(`${name} is ${JSON.stringify(text)}: expected true or false`)
}
