import type { Item, Section } from "./sections.js"

/** What fits in a budget, and how much does not. */
export interface Fitted {
  /** What fits. */
  readonly sections: readonly Section[]
  /** How many items are left out. */
  readonly leftOut: number
}

/**
 * Makes sections fit in a number of characters: as they are, else without what the tools do and take, else as many as fit,
 * taken from each section in turn, so that no kind of change is hidden by another.
 */
export function fitSections(sections: readonly Section[], budget: number): Fitted {
  const room = budget - frame
  if (sizeOf(sections) <= room) return { sections, leftOut: 0 }
  const brief = sections.map((section) => ({ ...section, items: section.items.map(toName) }))
  return sizeOf(brief) <= room ? { sections: brief, leftOut: 0 } : takeInTurns(brief, room)
}

function takeInTurns(sections: readonly Section[], room: number): Fitted {
  const taken = sections.map((): Item[] => [])
  const total = sections.reduce((sum, { items }) => sum + items.length, 0)
  let left = room
  let count = 0
  let open = sections.map((section, index) => ({ section, into: taken[index] ?? [] }))
  while (open.length > 0) {
    open = open.filter(({ section, into }) => {
      const item = section.items[into.length]
      if (item === undefined) return false
      const size = sizeOfItem(item) + (into.length === 0 ? sizeOfHead(section) : 0)
      if (size > left) return false
      into.push(item)
      left -= size
      count += 1
      return true
    })
  }
  const kept = sections.map((section, index) => ({ ...section, items: taken[index] ?? [] }))
  return { sections: kept.filter(({ items }) => items.length > 0), leftOut: total - count }
}

function toName(item: Item): string {
  return typeof item === "string" ? item : item.name
}

function sizeOf(sections: readonly Section[]): number {
  return sections.reduce(
    (sum, section) => section.items.reduce((size, item) => size + sizeOfItem(item), sum + sizeOfHead(section)),
    0,
  )
}

function sizeOfHead({ key, label }: Section): number {
  return Math.max(key.length, label.length) + 8
}

/** As JSON, which is never shorter than the text. */
function sizeOfItem(item: Item): number {
  return JSON.stringify(item).length + 2
}

/** What stands around the sections, in text or in JSON, notes included. */
const frame = 250
