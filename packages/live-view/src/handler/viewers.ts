import type { Visitor } from "@x/mcp-adapter/fetch"
import type { ChangeFrame, Frame, StartFrame } from "../frames/frame.js"
import type { AdapterWatch } from "../frames/watch-adapter.js"

/** Those who look. */
export interface Viewers {
  /** Begins to tell one what there is, and then what happens. */
  add(visitor: Visitor): Promise<void>
  /** Ends all streams. */
  close(): void
}

/** How many rows are told at once: more would keep a page from anything else while it takes them in. */
const PORTION = 500

/** Nobody looks yet. */
export function createViewers(watch: AdapterWatch, most: number): Viewers {
  const open = new Set<() => void>()
  let closed = false
  return {
    async add(visitor) {
      if (open.size >= most)
        return visitor.send({ status: 503, headers: { "retry-after": "5" }, body: "too many look" })
      await watch.ready
      if (closed) return visitor.send({ status: 503, body: "the live view is closed" })
      const stream = visitor.stream()
      const write = (frames: readonly Frame[]): void => stream.write(`data: ${JSON.stringify(frames)}\n\n`)
      // What was waiting is told to the others, and is in the start.
      const start = watch.start()
      const subscription = watch.frames.subscribe({ next: write, complete: () => end() })
      const end = (): void => {
        if (!open.delete(end)) return
        subscription.unsubscribe()
        stream.end()
      }
      open.add(end)
      visitor.onEnd(end)
      for (const frame of toPortions(start)) write([frame])
    },
    close() {
      closed = true
      for (const end of [...open]) end()
    },
  }
}

/** A start with the first rows, and the rest of them. */
function* toPortions(start: StartFrame): Generator<StartFrame | ChangeFrame> {
  const { at, revision, tools, states, links } = start
  const first = <Row>(rows: readonly Row[]): readonly Row[] => rows.slice(0, PORTION)
  yield { ...start, tools: first(tools), states: first(states), links: first(links) }
  const rest = { type: "change", at, revision, quiet: true } as const
  for (let from = PORTION; from < tools.length; from += PORTION)
    yield { ...rest, put: tools.slice(from, from + PORTION) }
  for (let from = PORTION; from < states.length; from += PORTION)
    yield { ...rest, states: states.slice(from, from + PORTION) }
  for (let from = PORTION; from < links.length; from += PORTION)
    yield { ...rest, links: links.slice(from, from + PORTION) }
}
