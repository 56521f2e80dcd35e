import type { LinkUrl } from "./built-ins/list-links.js"
import type { WaitForOptions } from "./built-ins/wait-for.js"
import type { StateMode } from "./state-mode.js"

/** Which tools of our own an exposure has. */
export interface ExposureOptions {
  /** How states reach the client; decides whether there is `get_state`. Default `both`. */
  readonly states?: StateMode
  /**
   * Whether there is `run_action`, which lets a client that never re-lists call what it learns later; `meta` always has
   * it. Default `true`.
   */
  readonly runAction?: boolean
  /** Whether, and how, there is `wait_for`, where states are read through a tool. Default `false`. */
  readonly waitFor?: boolean | WaitForOptions | undefined
  /** Whether `run_action` takes the tokens of calls that were to be confirmed. Default `false`. */
  readonly confirm?: boolean
  /** Whether there is `list_links`. Default `true`. */
  readonly links?: boolean
  /**
   * Where each service is an endpoint of its own, as a URL path. Given, `list_links` tells it, and `get_state` reads one
   * service only. Default: what is linked is shown here.
   */
  readonly linkUrl?: LinkUrl | undefined
  /** The most characters that a tool of our own answers. Default 100,000. */
  readonly sizeLimit?: number
}
