import { html, nothing, type TemplateResult } from "lit-html"

/** One of several lists. */
export interface Tab<Key extends string> {
  /** Tells it apart. */
  readonly key: Key
  /** What stands on it. */
  readonly title: string
  /** How many it holds. */
  readonly count?: number
}

/** Tabs as WAI-ARIA has them: one stop for the tabulator, arrows between them. */
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
