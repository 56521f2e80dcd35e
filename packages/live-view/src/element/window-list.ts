import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core"

/** Which rows of a long list are in sight. */
export interface WindowList {
  /** To be called with the element that scrolls, once it is drawn. */
  attach(element: Element | undefined): void
  /** The rows in sight, and how high all are together. */
  take(count: number): { readonly items: readonly VirtualItem[]; readonly height: number }
  /** Lets go of the element. */
  close(): void
}

/**
 * Draws only what is in sight.
 *
 * @param rowHeight - In pixels; the same for all.
 * @param redraw - Told when other rows are in sight.
 */
export function createWindowList(rowHeight: number, redraw: () => void): WindowList {
  let scrolled: HTMLElement | null = null
  let unmount: (() => void) | undefined
  const options = (count: number) => ({
    count,
    getScrollElement: () => scrolled,
    estimateSize: () => rowHeight,
    overscan: 6,
    initialRect: { width: 0, height: 800 },
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: redraw,
  })
  const virtualizer = new Virtualizer<HTMLElement, Element>(options(0))
  return {
    attach(element) {
      const next = element instanceof HTMLElement ? element : null
      if (next === scrolled) return
      unmount?.()
      scrolled = next
      unmount = next === null ? undefined : virtualizer._didMount()
      virtualizer._willUpdate()
    },
    take(count) {
      if (virtualizer.options.count !== count) virtualizer.setOptions(options(count))
      return { items: virtualizer.getVirtualItems(), height: virtualizer.getTotalSize() }
    },
    close: () => unmount?.(),
  }
}
