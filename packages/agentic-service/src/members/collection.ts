import { assembleService } from "../assemble-service.js"
import { createFailures } from "../failures.js"
import { type Collection, createCollectionFeed } from "../maps/collection-feed.js"
import { createLiveMap } from "../maps/live-map.js"
import { createMemberFeed } from "../maps/member-feed.js"
import type { Action, AgenticService, State } from "../service.js"

/** Makes the service that holds a family of links, and nothing else. */
export function createCollection<Item>(name: string, collection: Collection<Item>): AgenticService {
  const { failures, report } = createFailures()
  const states = createLiveMap<State>(createMemberFeed(new Map(), () => {}))
  const actions = createLiveMap<Action>(createMemberFeed(new Map(), () => {}))
  const links = createLiveMap(createCollectionFeed(collection, report))
  const declared = { states: {}, actions: {}, links: {} }

  return assembleService({ name, states, actions, links, declared, failures })
}
