import { knownClients } from "@x/mcp-adapter"
import type { ProfileCaller } from "@x/mcp-adapter/binding"
import type { GatewayConfig } from "./gateway-config.js"
import { fits, type GatewayProfile, rulesOf } from "./profiles.js"

/** A gateway's profile and its audience. */
export interface ProfileReport {
  /** Its name. */
  readonly name: string
  /** The clients it applies to; absent for all. */
  readonly clients?: readonly string[]
  /** The principals it applies to; absent for all. */
  readonly principals?: readonly string[]
  /** The well-known clients that would get it, by common name. */
  readonly knownClients: readonly string[]
  /** The number of tools shown. */
  readonly shown: number
  /** The number of all tools. */
  readonly all: number
}

/**
 * Reports the members and the audience of each profile.
 *
 * @param tools - Each server's current tools, by its name in the file.
 */
export function reportProfiles(
  { profiles = {} }: Pick<GatewayConfig, "profiles">,
  tools: ReadonlyMap<string, readonly string[]>,
): readonly ProfileReport[] {
  const all = [...tools].flatMap(([server, names]) => names.map((tool) => ({ server, tool })))
  return Object.entries(profiles).map(([name, profile]) => {
    const { clients, principals } = profile
    const shown = all.filter(({ server, tool }) => shows(profile, server, tool)).length
    const known = knownClients.filter(({ names }) =>
      names.some((each) => nameOfChosen(profiles, clientOf(profile, each)) === name),
    )
    return {
      name,
      ...(clients && { clients }),
      ...(principals && { principals }),
      knownClients: known.map(({ title }) => title),
      shown,
      all: all.length,
    }
  })
}

/**
 * Returns the name of the profile that a caller would get; `undefined` for none.
 *
 * @example
 * ```ts
 * import { nameOfChosen } from "@x/mcp-upstream/node"
 *
 * const profiles = { readers: { clients: ["cursor*"], allow: ["docs"] }, others: {} }
 * console.log(nameOfChosen(profiles, { client: { name: "cursor-vscode", version: "1" } })) // readers
 * console.log(nameOfChosen(profiles, { principal: { id: "ada" } })) // others
 * ```
 */
export function nameOfChosen(
  profiles: Readonly<Record<string, GatewayProfile>>,
  caller: ProfileCaller,
): string | undefined {
  return Object.entries(profiles).find(([, profile]) => fits(profile, caller))?.[0]
}

/** Returns a client used by a caller whom the profile applies to. */
function clientOf({ principals }: GatewayProfile, name: string): ProfileCaller {
  const [id] = principals ?? []
  return { client: { name: name.replace(/\*$/, "1"), version: "" }, ...(id !== undefined && { principal: { id } }) }
}

function shows(profile: GatewayProfile, server: string, tool: string): boolean {
  const rules = rulesOf(profile, server)
  return rules.any && rules.shows(tool)
}
