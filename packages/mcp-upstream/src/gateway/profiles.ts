import type { JsonSchema } from "@x/agentic-service"
import type { ExposureName } from "@x/mcp-adapter"
import type { ProfileCaller, ProfileName } from "@x/mcp-adapter/binding"
import { profileNames } from "@x/tool-schemas"
import { matchesGlob } from "./glob.js"

/** Rules for showing the servers to some callers. The first matching profile applies. */
export interface GatewayProfile {
  /**
   * The clients it applies to, by the name that they report (`clientInfo.name`); a `*` matches any characters. Default: all.
   */
  readonly clients?: readonly string[]
  /**
   * The principals it applies to, by id; a `*` matches any characters. Default: all, including callers who are not signed in.
   */
  readonly principals?: readonly string[]
  /**
   * The members to show, as `server/name`: tools and prompts by their server's name or their `rename`, resources and templates
   * by their URI. A `*` matches any characters, and a server alone means all its members. Default: all.
   */
  readonly allow?: readonly string[]
  /** The members to hide, written as in `allow`; takes precedence over it. */
  readonly deny?: readonly string[]
  /** The tools to list. Default: the gateway's. */
  readonly exposure?: ExposureName
  /** The form of published input schemas. Default: the gateway's. */
  readonly schemas?: ProfileName
  /** Prefixes of tool names, by the server's name in the file; `false` for none. */
  readonly prefix?: Readonly<Record<string, string | false>>
  /** Full tool names, by `server/name`. */
  readonly rename?: Readonly<Record<string, string>>
}

const texts = { type: "array", items: { type: "string", minLength: 1 } }
/** A name that every vendor accepts. */
const NAME = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"

/** The schema of each key of a profile. */
export const profileProperties: Readonly<Record<keyof GatewayProfile, JsonSchema>> = {
  clients: texts,
  principals: texts,
  allow: texts,
  deny: texts,
  exposure: { enum: ["dynamic", "stable", "meta", "grouped"] },
  schemas: { enum: [...profileNames] },
  prefix: { type: "object", additionalProperties: { anyOf: [{ const: false }, { type: "string", pattern: NAME }] } },
  rename: { type: "object", additionalProperties: { type: "string", pattern: NAME } },
}

/** Returns whether a profile applies to a caller. A profile that names clients or principals never applies to unknown ones. */
export function fits({ clients, principals }: GatewayProfile, { client, principal }: ProfileCaller): boolean {
  return isOneOf(clients, client?.name) && isOneOf(principals, principal?.id)
}

function isOneOf(globs: readonly string[] | undefined, name: string | undefined): boolean {
  if (globs === undefined) return true
  return name !== undefined && globs.some((glob) => matchesGlob(glob, name))
}

/** A profile's rules for one server. */
export interface ServerRules {
  /** Whether any member can be shown. */
  readonly any: boolean
  /** Returns whether a member is shown: a tool or prompt by name, a resource or template by URI. */
  shows(what: string): boolean
  /** Returns whether a member is denied by name, even if allowed. */
  denies(what: string): boolean
  /** Whether any member is denied by name. */
  readonly deniesAny: boolean
  /** Returns a tool's name; `undefined` if the profile does not change it. */
  nameOf(tool: string): string | undefined
}

/** Returns a profile's rules for one server. */
export function rulesOf({ allow, deny = [], prefix = {}, rename = {} }: GatewayProfile, server: string): ServerRules {
  const about = (pattern: string): boolean => matchesGlob(serverOf(pattern), server)
  const allowed = allow?.filter(about)
  const denied = deny.filter(about)
  const covers = (pattern: string, what: string): boolean => matchesGlob(whole(pattern), `${server}/${what}`)
  const denies = (what: string): boolean => denied.some((pattern) => covers(pattern, what))
  const start = Object.hasOwn(prefix, server) ? prefix[server] : undefined
  return {
    any: allowed?.length !== 0 && !denied.some((pattern) => whole(pattern).endsWith("/*") && isWhole(pattern)),
    shows: (what) => (allowed?.some((pattern) => covers(pattern, what)) ?? true) && !denies(what),
    denies,
    deniesAny: denied.length > 0,
    nameOf(tool) {
      const path = `${server}/${tool}`
      if (Object.hasOwn(rename, path)) return rename[path]
      if (start === undefined) return undefined
      const name = start === false ? tool : `${start}__${tool}`
      return new RegExp(NAME).test(name) ? name : undefined
    },
  }
}

/** Returns the server part of a pattern. */
export function serverOf(pattern: string): string {
  const slash = pattern.indexOf("/")
  return slash < 0 ? pattern : pattern.slice(0, slash)
}

function whole(pattern: string): string {
  return pattern.includes("/") ? pattern : `${pattern}/*`
}

/** Returns whether a pattern covers all members of a server. */
function isWhole(pattern: string): boolean {
  return whole(pattern).slice(serverOf(pattern).length) === "/*"
}
