import { isRecord } from "@x/base"
import { render } from "lit-html"
import type { Frame } from "../frames/frame.js"
import { createPicture, type PictureKeeper } from "../frames/picture.js"
import { parseRecording } from "../recording/parse-recording.js"
import { createActions } from "./actions.js"
import { addToStory, toCaptions } from "./captions.js"
import { type Connection, createConnection, type LiveViewFetch } from "./connection.js"
import { createPlayer } from "./player.js"
import { styles } from "./styles.js"
import { type Costs, createUiState, type UiState } from "./ui-state.js"
import { createShell } from "./views/shell.js"

/** A live view in a page. */
export interface LiveViewMount {
  /** Shows a recording, given its file's text. */
  open(text: string): void
  /** Stops watching and frees resources. */
  close(): void
}

/** The data source of a live view. */
export interface MountOptions {
  /** The URL of the live view, ending with a slash. */
  readonly src: string
  /** Sends requests. */
  readonly reach: LiveViewFetch
}

/** Renders the live view into a shadow root, and keeps it up to date. */
export function mountLiveView(root: ShadowRoot, { src, reach }: MountOptions): LiveViewMount {
  const ui = createUiState()
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(styles)
  root.adoptedStyleSheets = [sheet]
  const drawing = createDrawing(() => render(shell.view(), root))
  const stage = createStage(ui, drawing.soon)
  const connection = createConnection({
    src,
    reach,
    frames: stage.take,
    status(status) {
      if (ui.player === undefined) ui.connection = status
      drawing.soon()
    },
  })
  const open = (text: string): void => {
    const player = createPlayer(parseRecording(text))
    Object.assign(ui, { player, connection: "replay", picture: player.seek(0), selected: undefined, fault: undefined })
    ui.story.splice(0, ui.story.length, ...toCaptions(player.current()))
    drawing.soon()
  }
  const actions = createActions({ ui, connection, redraw: drawing.soon, open, live: stage.live })
  const shell = createShell({ ui, actions, redraw: drawing.soon, root })
  const costs = createCostReader(ui, connection, drawing.soon)
  const ticking = startTicking(ui, drawing.soon)
  drawing.soon()
  return {
    open,
    close() {
      connection.close()
      drawing.close()
      costs.close()
      clearInterval(ticking)
      shell.close()
    },
  }
}

/** Applies frames to the picture and the story. */
function createStage(ui: UiState, redraw: () => void) {
  let keeper: PictureKeeper | undefined
  let held: Frame[] = []
  const apply = (frame: Frame): void => {
    if (frame.type === "start") {
      keeper = createPicture(frame)
      if (ui.player === undefined) ui.story.length = 0
    } else keeper?.apply(frame)
    if (ui.player !== undefined) return
    ui.heard = { at: frame.at, here: performance.now() }
    addToStory(ui, frame)
  }
  const show = (): void => {
    for (const frame of held) apply(frame)
    held = []
    if (ui.player === undefined) ui.picture = keeper?.picture
    redraw()
  }
  return {
    take(frames: readonly Frame[]): void {
      held.push(...frames)
      // Even when paused, frames are not held without limit.
      if (!ui.paused || held.length > 5_000) show()
    },
    /** Shows the current data after a pause or a recording. */
    live: show,
  }
}

/** Renders at most once every {@link REST} milliseconds, in an animation frame. */
function createDrawing(draw: () => void) {
  let waiting: ReturnType<typeof setTimeout> | number | undefined
  let last = 0
  let closed = false
  const frame = (): void => {
    waiting = undefined
    last = performance.now()
    if (!closed) draw()
  }
  return {
    soon(): void {
      if (waiting !== undefined || closed) return
      const rest = REST - (performance.now() - last)
      waiting = rest > 0 ? setTimeout(() => requestAnimationFrame(frame), rest) : requestAnimationFrame(frame)
    },
    close(): void {
      closed = true
    },
  }
}

const REST = 60

/** Draws once a second while a call runs, because its time goes on. */
function startTicking(ui: UiState, redraw: () => void): ReturnType<typeof setInterval> {
  return setInterval(() => {
    if (ui.player !== undefined) return
    for (const { status } of ui.picture?.calls.values() ?? []) {
      if (status === "running" || status === "handed" || status === "stuck") return redraw()
    }
  }, 1_000)
}

/** Requests the cost of the list after each change, at most once a second. */
function createCostReader(ui: UiState, connection: Connection, redraw: () => void) {
  let asked = ""
  let busy = false
  const read = async (): Promise<void> => {
    const wanted = `${ui.profile} ${ui.picture?.listing}`
    if (busy || ui.connection !== "live" || ui.picture === undefined || wanted === asked) return
    busy = true
    asked = wanted
    const costs: unknown = await connection.ask("costs", { profile: ui.profile }).catch(() => undefined)
    if (isCosts(costs)) ui.costs = costs
    busy = false
    redraw()
  }
  const timer = setInterval(() => void read(), 1_000)
  return { close: (): void => clearInterval(timer) }
}

/** The element's `src` may be any server, or one of another version. */
function isCosts(answer: unknown): answer is Costs {
  if (!isRecord(answer) || typeof answer["encoding"] !== "string") return false
  const isCost = (cost: unknown): boolean =>
    isRecord(cost) && [cost["tools"], cost["chars"], cost["tokens"]].every((each) => typeof each === "number")
  return [answer["dynamic"], answer["stable"], answer["meta"]].every(isCost)
}
