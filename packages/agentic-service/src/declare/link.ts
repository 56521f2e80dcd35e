import type { When } from "../maps/when.js"
import type { AgenticService } from "../service.js"
import type { Source } from "../sources/source.js"

/** What a link to one service says about itself. */
export interface LinkOptions {
  /** Why an agent would follow the link. */
  readonly description?: string
  /** The service at the other end; the link is not there while it is `null` or `undefined`. */
  readonly service: Source<AgenticService | null | undefined>
  /** The link is there only while this holds. Default: always. */
  readonly when?: When
}

/** A link as {@link createAgenticService} takes it. Made by {@link link} and {@link links}. */
export interface LinkDeclaration {
  /** Tells declarations apart. */
  readonly kind: "link"
  /** What {@link link} was given; from {@link links}, the service is made once the key is known. */
  readonly options: LinkOptions | LazyLinkOptions
}

/** A link whose service is named after the key it is declared under. */
export interface LazyLinkOptions extends Omit<LinkOptions, "service"> {
  /** Makes the service at the other end, once. */
  readonly createService: (key: string) => AgenticService
}

/** Declares a service an agent may reach. Closing the service stays with whoever made it. */
export function link(options: LinkOptions): LinkDeclaration {
  return { kind: "link", options }
}
