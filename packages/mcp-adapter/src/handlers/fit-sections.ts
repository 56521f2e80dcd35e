/** One kind of change. */
export interface Section {
  /** The JSON name. */
  readonly key: string
  /** The text label. */
  readonly label: string
  /** Changed items, in list order. */
  readonly items: readonly Item[]
}

/** A changed item. */
export type Item = string | ToolItem

/** A tool and its arguments. A `type`, because it is JSON. */
export type ToolItem = {
  /** The tool's name. */
  readonly name: string
  /** The items concerned, if the tool stands for several, with the name of their parameter. */
  readonly for?: string
  /** A short signature of the arguments; absent without arguments. */
  readonly arguments?: string
  /** The beginning of the description. */
  readonly description?: string
}

/** Returns the number of values that certainly fill a budget of characters: no further state needs to be compared. */
export function mostValues(budget: number): number {
  return Math.ceil(budget / LEAST_ITEM)
}

/** The least characters of an item: two quotes, two between items, and a name of a few letters. */
const LEAST_ITEM = 8

/** Sections within a budget, and the number of omitted items. */
interface Fitted {
  /** The sections that fit. */
  readonly sections: readonly Section[]
  /** The number of omitted items. */
  readonly leftOut: number
}

/**
 * Fits sections into a number of characters: complete, else without details of tools, else with as many items as fit, taken
 * from each section in turn, so that no kind of change hides another.
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

/** Returns an item's name. */
export function toName(item: Item): string {
  if (typeof item === "string") return item
  return item.for === undefined ? item.name : `${item.name} (${item.for})`
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

/** Counts JSON characters, which are never fewer than the text's. */
function sizeOfItem(item: Item): number {
  return JSON.stringify(item).length + 2
}

/** Characters around the sections, in text or JSON, including notes. */
const frame = 250
