import type { ExposureFor } from "../exposure-for.js"
import { knownClients } from "./known-clients.js"

/**
 * The exposure that serves a client best, by what is known of it: `meta` where there are more tools than it takes, else
 * `stable` where it keeps the list it saw first, else `dynamic`. `undefined` for a client that nothing is known of.
 */
export const recommendExposure: ExposureFor = ({ name }, { tools }) => {
  const known = byName.get(name)
  if (known === undefined) return undefined
  return known.toolCap !== undefined && tools > known.toolCap ? "meta" : known.exposure
}

const byName = new Map(knownClients.flatMap((client) => client.names.map((name) => [name, client] as const)))
