import { onTestFinished, vi } from "vitest"
import { createPicture, type Frame, type Picture } from "../src/index.js"

/** Follows a live view's event stream until the test is over. */
export async function look({ fetch }: { fetch(request: Request): Promise<Response> }): Promise<Look> {
  const frames: Frame[] = []
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await fetch(new Request("http://localhost/live/events", { signal: leaving.signal }))
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const read = async (): Promise<void> => {
    for (let rest = ""; ; ) {
      const { done, value = "" } = (await reader?.read()) ?? { done: true }
      if (done) return
      const events = (rest + value).split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) if (event.startsWith("data: ")) frames.push(...JSON.parse(event.slice(6)))
    }
  }
  void read().catch(() => undefined)
  await vi.waitFor(() => {
    if (frames[0]?.type !== "start") throw new Error("it has not begun")
  })
  return {
    frames,
    picture() {
      const [start, ...rest] = frames
      if (start?.type !== "start") throw new Error("it does not begin with a start")
      const keeper = createPicture(start)
      for (const frame of rest) keeper.apply(frame)
      return keeper.picture
    },
  }
}

/** The data received from a live view. */
export interface Look {
  /** All frames, in order. */
  readonly frames: readonly Frame[]
  /** Returns the picture of these frames. */
  picture(): Picture
}
