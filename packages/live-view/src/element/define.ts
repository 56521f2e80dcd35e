import type { LiveViewFetch } from "./connection.js"
import { type LiveViewMount, mountLiveView } from "./mount.js"

export type { LiveViewFetch } from "./connection.js"

/**
 * `<agentic-live-view src="/live/">`: shows the live view that is served at `src` (by default the page's own folder). It needs
 * no framework, and keeps its styles to itself. `theme` is `light`, `dark`, or absent for what the page has.
 *
 * The one class of this package, because a custom element is made of one.
 */
export class AgenticLiveView extends HTMLElement {
  /** Answers in the place of the network, where the adapter is in this very page. */
  fetch: LiveViewFetch | undefined
  #mount: LiveViewMount | undefined

  /** Begins to look. */
  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" })
    const src = this.getAttribute("src") ?? "./"
    const reach = this.fetch ?? ((input, init) => fetch(input, init))
    this.#mount = mountLiveView(root, { src: src.endsWith("/") ? src : `${src}/`, reach })
  }

  /** Lets go of everything. */
  disconnectedCallback(): void {
    this.#mount?.close()
    this.#mount = undefined
  }

  /** Shows a recording, as the text of its file; throws where it is none. */
  open(recording: string): void {
    this.#mount?.open(recording)
  }
}

/** The element's name. */
export const tagName = "agentic-live-view"

if (customElements.get(tagName) === undefined) customElements.define(tagName, AgenticLiveView)
