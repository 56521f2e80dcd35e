import { type Profiles, recommendSchemas } from "@x/mcp-adapter"
import type { ProfileCaller, ViewProfile } from "@x/mcp-adapter/binding"

/**
 * Extends profiles: a caller whose profile names no schemas, or who has none, gets input schemas in the form known to suit its
 * client, such as `verbatim`. Only the legacy handshake counts, because a modern client's name must not change its view.
 */
export function withKnownClients(profiles?: Profiles): Profiles {
  const plain: ViewProfile = {}
  // One object for the same view: adapters tell views apart by their objects.
  const recommended = new WeakMap<ViewProfile, Map<string, ViewProfile>>()
  const choose: Profiles["choose"] = (caller) => {
    const chosen = profiles?.choose(caller)
    const schemas = chosen?.schemas === undefined ? recommend(caller) : undefined
    if (schemas === undefined) return chosen
    const views = recommended.get(chosen ?? plain) ?? new Map<string, ViewProfile>()
    recommended.set(chosen ?? plain, views)
    const view = views.get(schemas) ?? { ...chosen, schemas }
    views.set(schemas, view)
    return view
  }
  return { ...profiles, choose }
}

function recommend({ client }: ProfileCaller): ViewProfile["schemas"] {
  return client?.handshake === true ? recommendSchemas(client) : undefined
}
