import type { Visitor } from "@x/mcp-adapter/fetch"
import type { ChangeFrame, Frame, StartFrame } from "../frames/frame.js"
import type { AdapterWatch } from "../frames/watch-adapter.js"

/** The pages that watch. */
export interface Viewers {
  /** Sends the complete state to a page, and then its events. */
  add(visitor: Visitor): Promise<void>
  /** Ends all streams. */
  close(): void
}

/** The most rows in one message. More would block the page while it processes them. */
const PORTION = 500

/** Creates an empty set of viewers. */
export function createViewers(watch: AdapterWatch, most: number): Viewers {
  const open = new Set<() => void>()
  let closed = false
  return {
    async add(visitor) {
      if (open.size >= most)
        return visitor.send({
          status: 503,
          headers: { "retry-after": "5" },
          body: "too many viewers: close another live view, then reload",
        })
      await watch.ready
      if (closed) return visitor.send({ status: 503, body: "the live view is closed" })
      const stream = visitor.stream()
      const write = (frames: readonly Frame[]): void => stream.write(`data: ${JSON.stringify(frames)}\n\n`)
      // Pending events go to the other viewers first. The start contains them.
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

/** Splits a start into a first part and further rows. */
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
