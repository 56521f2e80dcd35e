import type { When } from "../maps/when.js"
import { createCollection } from "../members/collection.js"
import type { AgenticService } from "../service.js"
import type { Source } from "../sources/source.js"
import type { LinkDeclaration } from "./link.js"

/** What a family of links says about itself. */
export interface LinksOptions<Item> {
  /** What the family is, such as `"one per column"`. */
  readonly description?: string
  /** The items, one link each. */
  readonly of: Source<readonly Item[]>
  /** The link's key, unique among the items: of two items with one key the first is kept and the other reported. */
  readonly key: (item: Item) => string
  /**
   * Makes the item's service: once when its key appears, not again while the key stays, even if the item is a new
   * object. Let the service read what changes from a source. It is forgotten, not closed, when its key goes.
   */
  readonly service: (item: Item) => AgenticService
  /** The whole family is there only while this holds. Default: always. */
  readonly when?: When
}

/**
 * Declares one service per item. They are reached through a service of the family's own, under the
 * key it is declared with: column `c1` of `columns` is at `columns/c1`.
 */
export function links<Item>(options: LinksOptions<Item>): LinkDeclaration {
  const { of, key, service, ...rest } = options
  return { kind: "link", options: { ...rest, createService: (name) => createCollection(name, { of, key, service }) } }
}
