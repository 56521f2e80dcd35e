import type { JsonSchema } from "@x/agentic-service"
import { type Askable, defaultLimits, type UpstreamLimits } from "../upstream.js"
import { OAUTH_SCHEMA, type OAuthClient } from "./oauth-client.js"
import { type GatewayProfile, profileProperties } from "./profiles.js"

/** The configuration of a gateway, in the format of hosts; in a file, as JSON. */
export interface GatewayConfig {
  /** The gateway's name. Default `"gateway"`. */
  readonly name?: string
  /** Its purpose. Default: absent. */
  readonly description?: string
  /** The tools to list; see the endpoints of `@x/mcp-adapter`. Default `dynamic`. */
  readonly exposure?: "dynamic" | "stable" | "meta" | "grouped"
  /** How resources reach clients; see the endpoints of `@x/mcp-adapter`. Default `both`. */
  readonly states?: "both" | "resources" | "tool" | "omit"
  /**
   * Milliseconds that the first list waits for servers that are starting. Members of later servers are announced
   * with a notification. Default 5,000 while serving.
   */
  readonly listWaitMs?: number
  /**
   * The most characters of a tool's name, 20 to 128; longer names are cut and end in a hash. Default 48: with a host's prefix
   * such as `mcp__desk__`, whose name for the gateway has up to nine characters, names stay within the vendors' limit of 64.
   */
  readonly nameLength?: number
  /** The callers that sign in over HTTP, by id. Default: all requests are accepted without a principal. */
  readonly callers?: Readonly<Record<string, GatewayCaller>>
  /** Other views of the servers for some clients and principals, by name. The first matching profile applies. */
  readonly profiles?: Readonly<Record<string, GatewayProfile>>
  /** The servers, by the prefix of their tools. */
  readonly mcpServers: Readonly<Record<string, GatewayServer>>
  /** The servers with faulty entries: listed with the reasons, but not served. A file cannot set this. Default: none. */
  readonly refused?: readonly RefusedServer[]
}

/** A server that is not served because its entry is faulty. */
export interface RefusedServer {
  /** Its name. */
  readonly name: string
  /** The faults with their places. */
  readonly reasons: readonly string[]
  /** The prefix of its tools. Default: its name. */
  readonly as?: string
  /** Whether its entry has `perCaller`, so that no link shows it. Default `false`. */
  readonly perCaller?: boolean
}

/** A server of a gateway: a command or URL in the hosts' notation, with the gateway's own options. */
export interface GatewayServer {
  /** The program to start. */
  readonly command?: string
  /** Its arguments. */
  readonly args?: readonly string[]
  /** Its environment. Here and in every other text, `${NAME}` is replaced by the gateway's environment variable. */
  readonly env?: Readonly<Record<string, string>>
  /** Its working directory. */
  readonly cwd?: string
  /** The URL of a server reached over HTTP. */
  readonly url?: string
  /** Headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The transport, in any host's notation. Default: `stdio` for a command, `http` for a URL. */
  readonly type?: string
  /** Whether to leave it out. Default `false`. */
  readonly disabled?: boolean
  /** Its purpose, shown with its link. */
  readonly description?: string
  /** The tools to include; a `*` matches any characters. */
  readonly include?: readonly string[]
  /** The tools to leave out. */
  readonly exclude?: readonly string[]
  /** The prefix of its tools. Default: its name in the file. */
  readonly as?: string
  /** New names of its tools, by their own names. */
  readonly rename?: Readonly<Record<string, string>>
  /** How to treat a tool whose definition has changed. Default `pass`. */
  readonly onChange?: "hold" | "pass"
  /** Whether each call gets a connection of its own. Default `false`. */
  readonly ownConnection?: boolean
  /** Whether its tools have a prefix. One server may go without. Default `true`. */
  readonly prefix?: boolean
  /** The OAuth client for its sign-in, if required; `false` never signs in. Default: a newly registered client. */
  readonly oauth?: false | OAuthClient
  /**
   * The credentials of each caller. Callers without credentials do not see the server. Default: all callers share the entry's.
   */
  readonly perCaller?: PerCaller
  /** The requests that the server may make of its callers. Default: all. */
  readonly mayAsk?: readonly Askable[]
  /** The protocol revisions to try. Default `auto`. */
  readonly era?: "auto" | "legacy" | "modern"
  /** Its limits. */
  readonly limits?: Partial<UpstreamLimits>
}

/** A caller of a gateway, identified by a bearer token. */
export interface GatewayCaller {
  /** The token: at least 16 characters, different from other callers'. */
  readonly token: string
  /** The claims, for `perCaller.headers`. */
  readonly claims?: Readonly<Record<string, string>>
  /** The scopes. */
  readonly scopes?: readonly string[]
}

/** The credentials of each caller at a server, each on their own connection. */
export interface PerCaller {
  /** The credentials by the caller's id. */
  readonly callers?: Readonly<Record<string, CallerCredentials>>
  /**
   * Headers of callers that are not listed in `callers`, with `{id}` or a claim's `{name}` replaced. Callers without such a
   * claim have no credentials.
   */
  readonly headers?: Readonly<Record<string, string>>
}

/** The credentials of one caller. */
export interface CallerCredentials {
  /** Headers of every request, which override the entry's. */
  readonly headers?: Readonly<Record<string, string>>
  /** Environment variables of the command, which override the entry's. */
  readonly env?: Readonly<Record<string, string>>
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
  mayAsk: { type: "array", items: { enum: ["elicitation", "sampling", "roots"] } },
  perCaller: {
    type: "object",
    properties: {
      callers: {
        type: "object",
        additionalProperties: {
          type: "object",
          properties: { headers: textsByName, env: textsByName },
          additionalProperties: false,
        },
      },
      headers: textsByName,
    },
    additionalProperties: false,
  },
  oauth: OAUTH_SCHEMA,
  limits: {
    type: "object",
    properties: Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, limit])),
    additionalProperties: false,
  },
}
const gatewayProperties = {
  name: { type: "string", minLength: 1 },
  description: text,
  exposure: { enum: ["dynamic", "stable", "meta", "grouped"] },
  states: { enum: ["both", "resources", "tool", "omit"] },
  listWaitMs: limit,
  callers: {
    type: "object",
    additionalProperties: {
      type: "object",
      properties: {
        token: { type: "string", pattern: "^[A-Za-z0-9._~+/-]{16,}=*$" },
        claims: textsByName,
        scopes: texts,
      },
      required: ["token"],
      additionalProperties: false,
    },
  },
  nameLength: { type: "integer", minimum: 20, maximum: 128 },
  profiles: {
    type: "object",
    additionalProperties: { type: "object", properties: profileProperties, additionalProperties: false },
  },
}

/** The schema of a server's entry. */
export const SERVER_SCHEMA: JsonSchema = { type: "object", properties: serverProperties }

/** The keys of a server's entry. */
export const SERVER_KEYS: ReadonlySet<string> = new Set(Object.keys(serverProperties))

/** The schema of the gateway's own members of a file. */
export const GATEWAY_SCHEMA: JsonSchema = { type: "object", properties: gatewayProperties }

/** The keys of the gateway's own members of a file. */
export const GATEWAY_KEYS: readonly string[] = Object.keys(gatewayProperties)
