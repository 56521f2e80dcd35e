import type { AgenticService } from "@x/agentic-service"
import { combineLatest, map, NEVER, Observable } from "rxjs"
import { type McpExtension, mcpExtension } from "../mcp-extension.js"
import { peerOf, withPeer } from "../peer-of.js"
import { type RootParts, type ShownServer, toLinks } from "./gateway-root.js"

/** A root with one caller's own servers. */
export interface CallerView {
  /** The root's members and links, and links to the caller's own servers. Their connections stay open while it has a subscriber. */
  readonly service: AgenticService
  /** Returns the service's extension while the service has a subscriber. */
  extension(): McpExtension | undefined
}

/** The caller's servers, and how they are shown. */
export interface CallerViewParts {
  /** The caller's own servers. */
  readonly own: Observable<readonly ShownServer[]>
  /** Returns a server's shaped form. */
  readonly shape: RootParts["shape"]
  /** Called when the service has no subscriber any more. */
  left(): void
}

/** Creates one caller's view of a root. */
export function createCallerView(root: AgenticService, { own, shape, left }: CallerViewParts): CallerView {
  let users = 0
  let extension: McpExtension | undefined
  const ownLinks = own.pipe(map((servers) => toLinks(servers, shape)))
  const links = combineLatest([root.links, ownLinks]).pipe(map(([all, mine]) => ({ ...all, ...mine })))
  const inUse: AgenticService["links"] = new Observable((subscriber) => {
    users += 1
    extension ??= mcpExtension(toService(root, links))
    const subscription = links.subscribe(subscriber)
    return () => {
      subscription.unsubscribe()
      users -= 1
      if (users > 0) return
      extension?.close()
      extension = undefined
      left()
    }
  })
  return { service: toService(root, inUse), extension: () => extension }
}

/** Creates a service with other links, but the root's members. */
function toService(root: AgenticService, links: AgenticService["links"]): AgenticService {
  const { name, description, occupancy, states, actions } = root
  const service: AgenticService = {
    name,
    ...(description !== undefined && { description }),
    ...(occupancy && { occupancy }),
    states,
    actions,
    links,
    get instructions() {
      return root.instructions ?? ""
    },
    get declared() {
      return root.declared
    },
    failures: NEVER,
    execute: root.execute,
    close() {},
  }
  const peer = peerOf(root)
  return peer === undefined ? service : withPeer(service, peer)
}
