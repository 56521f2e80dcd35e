import { toJson, type View } from "@x/mcp-adapter"
import { findState, placeOf } from "../names/find-state.js"
import { print } from "../terminal/write.js"
import type { ModeSite } from "./mode-site.js"
import { untilSignal } from "./until-signal.js"

/**
 * Prints states as they are, a line of JSON each, and again whenever a value changes, until the process is told to end or
 * nobody reads. As for any client, of several changes of a state within a moment the last is printed.
 */
export async function watchStates({ view, options }: ModeSite, word: string | undefined): Promise<number> {
  const wanted = word === undefined ? undefined : findState(view, word)
  await options.onStart?.()
  const changed = createLines(view, wanted)
  const unwatch = view.watch("all")
  const subscription = view.notices.subscribe({
    next(notice) {
      if (notice.kind === "updated") changed.add(notice.uri)
      if (notice.kind === "resources") for (const { uri } of notice.diff.states.vanished) changed.add(uri)
    },
    complete: () => changed.end(),
  })
  const release = untilSignal(changed.end)
  process.stdout.once("error", changed.end)
  for (const { uri } of view.snapshot().states) changed.add(uri)
  await changed.ended
  subscription.unsubscribe()
  unwatch()
  release()
  return 0
}

/** Lines about states that change. */
interface Lines {
  /** Prints the state behind a URI as it will be then. */
  add(uri: string): void
  /** Prints no more. */
  end(): void
  /** Resolves once that is so. */
  readonly ended: Promise<void>
}

/** Prints the newest of what changed, at the pace of who reads. */
function createLines(view: View, wanted: string | undefined): Lines {
  const waiting = new Set<string>()
  const places = new Map<string, string>()
  let printing = false
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const drain = async (): Promise<void> => {
    printing = true
    for (const uri of waiting) {
      waiting.delete(uri)
      await printState(uri)
    }
    printing = false
  }
  const printState = async (uri: string): Promise<void> => {
    const entry = view.state(uri)
    const state = entry?.current()
    const place = entry === undefined ? places.get(uri) : placeOf(entry)
    if (place === undefined || (wanted !== undefined && place !== wanted)) return
    places.set(uri, place)
    const line = state === undefined ? { state: place, gone: true } : { state: place, value: toJson(state.value) }
    await print(`${JSON.stringify(line)}\n`)
  }
  return {
    ended,
    end: () => end(),
    add(uri: string) {
      waiting.add(uri)
      if (!printing) void drain()
    },
  }
}
