import { html, nothing, type TemplateResult } from "lit-html"

/** One of several tabs. */
export interface Tab<Key extends string> {
  /** The tab's key. */
  readonly key: Key
  /** The tab's label. */
  readonly title: string
  /** The number of items behind it. */
  readonly count?: number
}

/** Renders tabs as WAI-ARIA specifies: a single Tab stop, with arrow keys between them. */
export function tabs<Key extends string>(
  place: string,
  all: readonly Tab<Key>[],
  { open, choose }: { readonly open: Key; readonly choose: (key: Key) => void },
): TemplateResult {
  const move = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const next = by && all[(all.findIndex(({ key }) => key === open) + by + all.length) % all.length]
    if (!next) return
    choose(next.key)
    const list = event.currentTarget
    requestAnimationFrame(() => {
      if (list instanceof HTMLElement) list.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()
    })
  }
  return html`<div class="tabs" role="tablist" @keydown=${move}>
    ${all.map(
      ({ key, title, count }) => html`<button role="tab" id="tab-${key}" aria-controls="panel-${place}"
        aria-selected=${open === key} tabindex=${open === key ? 0 : -1} @click=${() => choose(key)}>
        ${title}${count === undefined ? nothing : html` <span class="count">${count.toLocaleString("en")}</span>`}
      </button>`,
    )}
  </div>`
}
