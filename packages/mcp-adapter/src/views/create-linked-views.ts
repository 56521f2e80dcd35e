import type { Principal } from "@x/agentic-service"
import type { View } from "../catalogue/view.js"
import { formatPath, type Path } from "../names/path.js"
import { createLinkedView, type LinkedView } from "./create-linked-view.js"
import type { ViewLease, Views, ViewsOptions } from "./create-views.js"
import { createLeases } from "./leases.js"
import { principalKey } from "./principal-key.js"

/** The views of single services, each reached by a path of links, made on first use. */
export interface LinkedViews {
  /** Takes a lease on the view of what a path leads to; `undefined` where nothing is that the principal may know of. */
  open(path: Path, principal: Principal | undefined): ViewLease | undefined
  /** {@link LinkedView.hold} of a view that was leased here; nothing for any other. */
  hold(view: View): () => void
  /** Gives no more leases. The views end with those of the graph, which are to be closed besides. */
  close(): void
}

/** No linked view yet. They belong to the views of the graph, and end with them. */
export function createLinkedViews(views: Views, options: ViewsOptions): LinkedViews {
  const { allow } = options
  const made = new WeakMap<View, LinkedView>()
  const leases = createLeases<LinkedView>({ ...options, ...options.principals, close: (linked) => linked.close() })
  let closed = false

  const take = (parent: View, path: Path, principal: Principal | undefined): ViewLease | undefined => {
    const key = JSON.stringify([views.shared ? "" : principalKey(principal), formatPath(path)])
    // What stood there may have been replaced in this very task.
    leases.peek(key)?.check()
    const reached = parent.serviceAt(path)
    if (reached === undefined) return undefined
    const { value, release } = leases.take(key, () => {
      const linked = createLinkedView({
        ...options,
        parent,
        path,
        reached,
        allow: allow && ((entry) => allow(principal, entry)),
        ended: () => leases.forget(key),
      })
      made.set(linked.view, linked)
      return linked
    })
    return { view: value.view, release }
  }

  return {
    open(path, principal) {
      if (closed) return undefined
      const parent = views.open(principal)
      let lease: ViewLease | undefined
      try {
        lease = take(parent.view, path, principal)
      } finally {
        if (lease === undefined) parent.release()
      }
      return lease && { view: lease.view, release: () => releaseAll(lease, parent) }
    },
    hold: (view) => made.get(view)?.hold() ?? (() => undefined),
    close() {
      closed = true
    },
  }
}

function releaseAll(...leases: readonly ViewLease[]): void {
  for (const lease of leases) lease.release()
}
