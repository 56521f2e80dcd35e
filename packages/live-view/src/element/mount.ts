import { isRecord } from "@x/tool-schemas/json"
import { render } from "lit-html"
import type { Frame } from "../frames/frame.js"
import { createPicture, type PictureKeeper } from "../frames/picture.js"
import { parseRecording } from "../recording/parse-recording.js"
import { createActions } from "./actions.js"
import { toCaptions } from "./captions.js"
import { type Connection, createConnection, type LiveViewFetch } from "./connection.js"
import { createPlayer } from "./player.js"
import { tell } from "./story.js"
import { styles } from "./styles.js"
import { type Costs, createUiState, type UiState } from "./ui-state.js"
import { createShell } from "./views/shell.js"

/** A live view in a page. */
export interface LiveViewMount {
  /** Shows a recording, as the text of its file. */
  open(text: string): void
  /** Lets go of everything. */
  close(): void
}

/** Where a live view gets what it shows. */
export interface MountOptions {
  /** Where it is served, with a slash at its end. */
  readonly src: string
  /** Reaches it. */
  readonly reach: LiveViewFetch
}

/** Draws the live view into a root, and keeps it up to date. */
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
  drawing.soon()
  return {
    open,
    close() {
      connection.close()
      drawing.close()
      costs.close()
      shell.close()
    },
  }
}

/** What frames come to. */
function createStage(ui: UiState, redraw: () => void) {
  let keeper: PictureKeeper | undefined
  let held: Frame[] = []
  const apply = (frame: Frame): void => {
    if (frame.type === "start") {
      keeper = createPicture(frame)
      if (ui.player === undefined) ui.story.length = 0
    } else keeper?.apply(frame)
    if (ui.player === undefined) tell(ui, frame)
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
      // Held back it is not for ever: the page would grow.
      if (!ui.paused || held.length > 5_000) show()
    },
    /** What there is now, after a pause or a recording. */
    live: show,
  }
}

/** Draws once for whatever happens in between: at most every {@link REST} milliseconds, when the browser draws. */
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

/** Asks what the list costs whenever it is another, not more often than once in a while. */
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

/** An element may be pointed at a server of another version, or at none of ours. */
function isCosts(answer: unknown): answer is Costs {
  if (!isRecord(answer) || typeof answer["encoding"] !== "string") return false
  const isCost = (cost: unknown): boolean =>
    isRecord(cost) && [cost["tools"], cost["chars"], cost["tokens"]].every((each) => typeof each === "number")
  return [answer["dynamic"], answer["stable"], answer["meta"]].every(isCost)
}
