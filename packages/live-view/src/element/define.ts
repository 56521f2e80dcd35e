import type { LiveViewFetch } from "./connection.js"
import { type LiveViewMount, mountLiveView } from "./mount.js"

export type { LiveViewFetch } from "./connection.js"

/**
 * The element `<agentic-live-view src="/live/">` shows the live view served at `src`, by default in the page's own folder. It
 * needs no framework and isolates its styles. `theme` is `light` or `dark`; if absent, it follows the page.
 *
 * It is the only class of this package, because custom elements must be classes.
 */
export class AgenticLiveView extends HTMLElement {
  /** Replaces network requests if this page contains the adapter. */
  fetch: LiveViewFetch | undefined
  #mount: LiveViewMount | undefined

  /** Starts watching. */
  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" })
    const src = this.getAttribute("src") ?? "./"
    const reach = this.fetch ?? ((input, init) => fetch(input, init))
    this.#mount = mountLiveView(root, { src: src.endsWith("/") ? src : `${src}/`, reach })
  }

  /** Stops watching and frees resources. */
  disconnectedCallback(): void {
    this.#mount?.close()
    this.#mount = undefined
  }

  /** Shows a recording, given its file's text. Throws if it is invalid. */
  open(recording: string): void {
    this.#mount?.open(recording)
  }
}

/** The element's name. */
export const tagName = "agentic-live-view"

if (customElements.get(tagName) === undefined) customElements.define(tagName, AgenticLiveView)
