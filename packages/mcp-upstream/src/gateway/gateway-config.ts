import type { JsonSchema } from "@x/agentic-service"
import { defaultLimits, type UpstreamLimits } from "../upstream.js"

/** What a gateway serves, in the form that hosts have their servers in; as a file, as JSON. */
export interface GatewayConfig {
  /** What the gateway is called. Default `"gateway"`. */
  readonly name?: string
  /** What it is for. Default: nothing. */
  readonly description?: string
  /** Which tools are listed; see the endpoints of `@x/mcp-adapter`. Default `dynamic`. */
  readonly exposure?: "dynamic" | "stable" | "meta"
  /** How resources reach clients; see the endpoints of `@x/mcp-adapter`. Default `both`. */
  readonly states?: "both" | "resources" | "tool" | "omit"
  /**
   * How long the first list waits for servers that are starting, in milliseconds. What comes later is told with a notice.
   * Default 5,000 while it serves.
   */
  readonly listWaitMs?: number
  /** The servers, by the names that their tools begin with. */
  readonly mcpServers: Readonly<Record<string, GatewayServer>>
}

/** One server of a gateway: a command or a URL, as hosts write them, and what we can do with it. */
export interface GatewayServer {
  /** The program of a server that is a command. */
  readonly command?: string
  /** Its arguments. */
  readonly args?: readonly string[]
  /** Its environment. `${NAME}` stands for a variable of ours, here as in every other text. */
  readonly env?: Readonly<Record<string, string>>
  /** Where it runs. */
  readonly cwd?: string
  /** Where a server is that is reached over HTTP. */
  readonly url?: string
  /** Headers of every request to it. */
  readonly headers?: Readonly<Record<string, string>>
  /** How it is spoken to; hosts write it in several ways. Default: `stdio` for a command, `http` for a URL. */
  readonly type?: string
  /** Whether it is left out. Default `false`. */
  readonly disabled?: boolean
  /** What it is for, to whoever follows the link. */
  readonly description?: string
  /** The tools that are taken; a `*` stands for anything. */
  readonly include?: readonly string[]
  /** The tools that are left out. */
  readonly exclude?: readonly string[]
  /** The name that its tools begin with. Default: its own in the file. */
  readonly as?: string
  /** What its tools are called here, by their own names. */
  readonly rename?: Readonly<Record<string, string>>
  /** What becomes of a tool whose definition changes. Default `pass`. */
  readonly onChange?: "hold" | "pass"
  /** Whether each call has a connection of its own. Default `false`. */
  readonly ownConnection?: boolean
  /** Whether its tools stand under its name. One server may go without. Default `true`. */
  readonly prefix?: boolean
  /** How the gateway signs in to it, if it asks for that; `false` for never. Default: with a client that is registered then. */
  readonly oauth?: false | OAuthClient
  /** Which revisions of the protocol are tried. Default `auto`. */
  readonly era?: "auto" | "legacy" | "modern"
  /** Its limits. */
  readonly limits?: Partial<UpstreamLimits>
}

/** A client of a server's authorization server. */
export interface OAuthClient {
  /** Its id, if it is registered already. */
  readonly clientId?: string
  /** Its secret, if it has one. */
  readonly clientSecret?: string
  /** The scopes to ask for, divided by spaces. Default: those that the server names. */
  readonly scope?: string
  /** The port of the loopback address that the browser comes back to. Default: any free one. */
  readonly callbackPort?: number
}

const text = { type: "string" }
const texts = { type: "array", items: text }
const textsByName = { type: "object", additionalProperties: text }
const limit = { type: "number", minimum: 0 }

const serverProperties = {
  command: { type: "string", minLength: 1 },
  args: texts,
  env: textsByName,
  cwd: text,
  url: { type: "string", minLength: 1 },
  headers: textsByName,
  type: text,
  disabled: { type: "boolean" },
  description: text,
  include: texts,
  exclude: texts,
  as: { type: "string", minLength: 1 },
  rename: { type: "object", additionalProperties: { type: "string", minLength: 1 } },
  onChange: { enum: ["hold", "pass"] },
  ownConnection: { type: "boolean" },
  prefix: { type: "boolean" },
  era: { enum: ["auto", "legacy", "modern"] },
  oauth: {
    anyOf: [
      { const: false },
      {
        type: "object",
        properties: { clientId: text, clientSecret: text, scope: text, callbackPort: { type: "integer", minimum: 1 } },
        additionalProperties: false,
      },
    ],
  },
  limits: {
    type: "object",
    properties: Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, limit])),
    additionalProperties: false,
  },
}
const gatewayProperties = {
  name: { type: "string", minLength: 1 },
  description: text,
  exposure: { enum: ["dynamic", "stable", "meta"] },
  states: { enum: ["both", "resources", "tool", "omit"] },
  listWaitMs: limit,
}

/** The schema of a server's entry. */
export const SERVER_SCHEMA: JsonSchema = { type: "object", properties: serverProperties }

/** The keys of a server's entry. */
export const SERVER_KEYS: ReadonlySet<string> = new Set(Object.keys(serverProperties))

/** The schema of what a file says of the gateway itself. */
export const GATEWAY_SCHEMA: JsonSchema = { type: "object", properties: gatewayProperties }

/** The keys of what a file says of the gateway itself. */
export const GATEWAY_KEYS: readonly string[] = Object.keys(gatewayProperties)
