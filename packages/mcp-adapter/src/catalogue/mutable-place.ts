import type { Path } from "../names/path.js"

/** A {@link Place} as the graph itself sees it. */
export interface MutablePlace<Service> {
  readonly service: Service
  path: Path
  /** False while no path is known: before the first, and between losing one and finding another. */
  reached: boolean
  /** The link that the canonical path ends with. */
  via: MutableEdge<Service> | undefined
  readonly links: Map<string, MutableEdge<Service>>
  readonly incoming: Set<MutableEdge<Service>>
}

/** An edge as the graph itself sees it. */
export interface MutableEdge<Service> {
  readonly from: MutablePlace<Service>
  readonly key: string
  readonly to: MutablePlace<Service>
}
