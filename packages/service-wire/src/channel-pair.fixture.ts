import type { Channel, ChannelListener } from "./channel.js"

/** The two ends of a channel in memory, with control over delivery. */
export interface ChannelPair {
  readonly near: Channel
  readonly far: Channel
  /** All frames sent so far, by either side. */
  readonly sent: { readonly from: "near" | "far"; readonly frame: string }[]
  /** Holds back the frames that a side sends from now on. */
  hold(from: "near" | "far"): void
  /** Delivers the held frames, and all later ones as they are sent. */
  release(from: "near" | "far"): void
  /** Breaks the channel. */
  cut(reason?: string): void
}

/** Creates a pair that delivers each frame in its own microtask, in order. */
export function createChannelPair(): ChannelPair {
  const sent: ChannelPair["sent"] = []
  let cutOff: string | undefined
  const lines = { near: createLine(), far: createLine() }
  const other = { near: "far", far: "near" } as const

  const end = (from: "near" | "far"): Channel => ({
    send(frame) {
      if (cutOff !== undefined) return
      sent.push({ from, frame })
      lines[other[from]].put(frame)
    },
    listen: (listener) => lines[from].listen(listener),
    close(reason = "closed") {
      cutOff ??= reason
      lines.near.close(reason)
      lines.far.close(reason)
    },
  })
  const near = end("near")
  return {
    near,
    far: end("far"),
    sent,
    hold: (from) => lines[other[from]].hold(),
    release: (from) => lines[other[from]].release(),
    cut(reason = "the channel was cut") {
      cutOff ??= reason
      lines.near.drop(reason)
      lines.far.drop(reason)
    },
  }
}

function createLine() {
  const queue: string[] = []
  let listener: ChannelListener | undefined
  let held = false
  let end: string | undefined
  let told = false

  const pump = (): void => {
    if (held || listener === undefined) return
    const next = queue.shift()
    if (next !== undefined) listener.frame(next)
    else if (end !== undefined && !told) {
      told = true
      listener.closed(end)
    }
    if (queue.length > 0 || (end !== undefined && !told)) queueMicrotask(pump)
  }
  return {
    put(frame: string): void {
      queue.push(frame)
      queueMicrotask(pump)
    },
    listen(next: ChannelListener): void {
      listener = next
      queueMicrotask(pump)
    },
    hold: () => {
      held = true
    },
    release(): void {
      held = false
      queueMicrotask(pump)
    },
    close(reason: string): void {
      end ??= reason
      queueMicrotask(pump)
    },
    drop(reason: string): void {
      queue.length = 0
      end ??= reason
      queueMicrotask(pump)
    },
  }
}
