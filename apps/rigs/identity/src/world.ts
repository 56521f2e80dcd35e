import { type AgenticService, action, createAgenticService, link, links } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { createDocument, type Doc, type Parts } from "./document.js"
import { createGate } from "./gate.js"
import { type How, type Person, SLOTS, type Slot } from "./steps.js"

/** Options of a world. */
export interface WorldOptions {
  /** Whether the author gives documents an id. */
  readonly ids: boolean
  /** Whether questions leave out what they are about. */
  readonly vague: boolean
}

/** Creates one person's application, whose names stay while its documents change. It records all events. */
export function createWorld(person: Person, { ids, vague }: WorldOptions) {
  const places = createPlaces()
  const titles = createTitles(places.readAt)
  const gates = { check: createGate(), run: createGate(), hold: createGate() }
  const parts: Parts = { vague, ran: [], asking: new Map(), gates }
  let made = 0
  const create = (title: string, edition: number): Held => {
    made += 1
    const thing = ids ? title : `${title} ${made}`
    const doc: Doc = { title, thing, hasId: ids, edition, stamp: made }
    return { doc, service: createDocument(doc, titles.of(title), parts) }
  }
  const fresh = (): Held => create(`${person}'s ${made + 1}`, 0)
  for (const slot of SLOTS) places.lay(slot, fresh())
  places.settle()
  titles.begin()

  return {
    root: places.createRoot(gates.hold.wait),
    at: places.at,
    standing: places.standing,
    /** The value that a reader of a slot's title must have at rest. */
    value: titles.now,
    differences: titles.differences,
    ran: parts.ran,
    /** Returns the document that worded the last question of a call. */
    asking: (call: number) => parts.asking.get(call),
    gates,
    settle: places.settle,
    /** Replaces the document of a slot. */
    put(slot: Slot, how: How): void {
      const before = places.standing(slot)
      if (how === "away") places.lay(slot, undefined)
      else if (how === "other" || before === undefined) places.lay(slot, fresh())
      else places.lay(slot, create(before.title, before.edition + (how === "same" ? 0 : 1)))
      titles.note()
    },
    /** Exchanges the documents of two slots. */
    trade(): void {
      places.trade()
      titles.note()
    },
    /** Links the document of a slot once more, or removes that link. */
    near(slot: Slot): void {
      places.near(slot)
      titles.note()
    },
    /** Changes a document's title in place. */
    write(slot: Slot): void {
      const doc = places.readAt(slot)
      if (doc !== undefined) titles.write(doc.title)
    },
  }
}

/** A person's application and its records. */
export type World = ReturnType<typeof createWorld>

interface Held {
  readonly doc: Doc
  readonly service: AgenticService
}

/** Creates the places of documents, and the links that lead to them. */
function createPlaces() {
  const desk = createDesk()
  const held: Record<Slot, Held | undefined> = { left: undefined, right: undefined, item: undefined }
  const last: Record<Slot, Held | undefined> = { ...held }
  let near: Held | undefined
  // What stood under a name between two changes of one task was never there for anybody.
  const settle = (): void => {
    for (const slot of SLOTS) last[slot] = held[slot] ?? last[slot]
  }
  const linked = (): readonly Held[] => [...Object.values(held), near].filter((each) => each !== undefined)
  const lay = (slot: Slot, next: Held | undefined): void => {
    held[slot] = next
    setImmediate(settle)
    desk.lay(slot, next?.service)
  }
  return {
    lay,
    createRoot: desk.create,
    /** Records what stands under each name now, as the end of a task does, and a request. */
    settle,
    /** Returns the document that stands under a name now. */
    standing: (slot: Slot): Doc | undefined => held[slot]?.doc,
    /** Returns the document under a name, or the former one as long as another link leads to it. */
    at: (slot: Slot): Doc | undefined => (held[slot] ?? linked().find((each) => each === last[slot]))?.doc,
    /** Does the same for readers. An author's id lets a former name find another object. */
    readAt: (slot: Slot): Doc | undefined =>
      (held[slot] ?? linked().find(({ doc }) => doc.thing === last[slot]?.doc.thing))?.doc,
    trade(): void {
      const { left, right } = held
      lay("left", right)
      lay("right", left)
    },
    near(slot: Slot): void {
      near = near === undefined ? held[slot] : undefined
      desk.near.next(near?.service ?? null)
    },
  }
}

/** Creates the titles of documents. It counts the differences that readers can see. */
function createTitles(readAt: (slot: Slot) => Doc | undefined) {
  const values = new Map<string, BehaviorSubject<string>>()
  const shown: Record<Slot, string | undefined> = { left: undefined, right: undefined, item: undefined }
  const differences: Record<Slot, number> = { left: 0, right: 0, item: 0 }
  const of = (title: string): BehaviorSubject<string> => {
    const value = values.get(title) ?? new BehaviorSubject(`${title} v1`)
    values.set(title, value)
    return value
  }
  const note = (): void => {
    for (const slot of SLOTS) {
      const doc = readAt(slot)
      const now = doc && of(doc.title).value
      if (now !== shown[slot]) differences[slot] += 1
      shown[slot] = now
    }
  }
  return {
    of,
    note,
    differences,
    now: (slot: Slot) => shown[slot],
    begin(): void {
      note()
      for (const slot of SLOTS) differences[slot] = 0
    },
    write(title: string): void {
      const value = of(title)
      value.next(`${title} v${Number(/\d+$/.exec(value.value)) + 1}`)
      note()
    },
  }
}

/** Creates the links of an application. The key of `near` comes last, so that it is an alias while another link is there. */
function createDesk() {
  const [left, right, near] = [1, 2, 3].map(() => new BehaviorSubject<AgenticService | null>(null))
  if (left === undefined || right === undefined || near === undefined) throw new Error("there are three links")
  const items = new BehaviorSubject<readonly { readonly service: AgenticService }[]>([])
  return {
    near,
    lay(slot: Slot, service: AgenticService | undefined): void {
      if (slot === "left") left.next(service ?? null)
      else if (slot === "right") right.next(service ?? null)
      else {
        // A key finds its item as long as the item stays.
        items.next([])
        if (service !== undefined) items.next([{ service }])
      }
    },
    create(hold: (call: number) => Promise<void>): AgenticService {
      const root = createAgenticService({
        name: "desk",
        actions: { hold: action({ description: "Hold", execute: () => hold(0) }) },
        links: {
          left: link({ service: left }),
          right: link({ service: right }),
          z: link({ service: near }),
          items: links({ of: items, key: () => "one", service: ({ service }) => service }),
        },
      })
      // An item that leaves and returns under its key while nobody follows the links counts as the same one.
      root.links.subscribe(({ items: family }) => family?.service.links.subscribe())
      return root
    },
  }
}
