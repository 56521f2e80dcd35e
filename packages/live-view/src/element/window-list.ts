import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core"

/** The visible rows of a long list. */
export interface WindowList {
  /** Sets the scrolling element after it was rendered. */
  attach(element: Element | undefined): void
  /** Returns the visible rows, and the total height of all rows. */
  take(count: number): { readonly items: readonly VirtualItem[]; readonly height: number }
  /** Releases the element. */
  close(): void
}

/**
 * Creates a list that renders only visible rows.
 *
 * @param rowHeight - The height of each row in pixels.
 * @param redraw - Called when other rows become visible.
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
