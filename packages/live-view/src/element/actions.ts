import { toMessage } from "@x/base"
import { addToStory } from "./captions.js"
import type { Connection } from "./connection.js"
import type { Selected, ToolDetails, TriedAnswer, UiState } from "./ui-state.js"

/** The watching person's actions. */
export interface Actions {
  /** Changes the selection of lists and filters. */
  set(change: Partial<UiState>): void
  /** Opens details, or closes them. */
  select(selected: Selected | undefined): void
  /** Tries a call. `answers` are the answers to the questions of an earlier try. */
  call(name: string, args: object, answers?: { readonly state: string; readonly responses: object }): Promise<void>
  /** Starts recording, or stops and saves a file. */
  toggleRecording(): Promise<void>
  /** Opens a recording from a file. */
  openFile(file: File): Promise<void>
  /** Leaves a recording. */
  leaveRecording(): void
  /** Moves in a recording by a number of frames, forward or back. */
  step(by: number): void
  /** Moves to a recording's position. */
  seek(index: number): void
  /** Plays the recording, or stops. */
  togglePlaying(): void
}

/** The dependencies of the actions. */
export interface ActionSite {
  readonly ui: UiState
  readonly connection: Connection
  readonly redraw: () => void
  /** Shows a recording. */
  readonly open: (text: string) => void
  /** Shows the live data. */
  readonly live: () => void
}

/** Creates the actions of the person who watches. */
export function createActions(site: ActionSite): Actions {
  const { ui, connection, redraw, live } = site
  const ask = async (name: string, body: object) => {
    try {
      return await connection.ask(name, body)
    } catch (thrown) {
      ui.fault = `the live view's server did not answer: ${toMessage(thrown)}`
      return undefined
    }
  }
  const load = async (selected: Selected | undefined): Promise<void> => {
    // The live view's own server sends these answers.
    if (selected?.kind === "tool" && ui.player === undefined)
      selected.details = (await ask("tool", { name: selected.name, profile: ui.profile })) as ToolDetails | undefined
    if (selected?.kind === "state" && ui.player === undefined)
      selected.value = await ask("state", { uri: selected.uri })
    redraw()
  }
  return {
    set(change) {
      Object.assign(ui, change)
      if (change.paused === false) live()
      if (change.profile !== undefined) void load(ui.selected)
      redraw()
    },
    select(selected) {
      ui.selected = selected
      void load(selected)
    },
    async call(name, args, answers) {
      const selected = ui.selected
      const asked = answers && { requestState: answers.state, inputResponses: answers.responses }
      const answer = (await ask("call", { name, args, ...asked })) as TriedAnswer | undefined
      if (selected?.kind === "tool" && selected.name === name)
        selected.answer = answer ?? { kind: "unknown", error: "calls are turned off in this live view" }
      redraw()
    },
    async toggleRecording() {
      const ended = ui.recording
      ui.recording = !ended
      redraw()
      const answer = await ask(ended ? "recorded" : "record", {})
      if (ended && typeof answer?.["text"] === "string") save(answer["text"], ui.picture?.start.name ?? "agentic")
    },
    ...createPlaying(site),
  }
}

type Playing = Pick<Actions, "openFile" | "leaveRecording" | "step" | "seek" | "togglePlaying">

function createPlaying({ ui, redraw, open, live }: ActionSite): Playing {
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = (): void => {
    clearInterval(timer)
    if (ui.player) ui.player.playing = false
  }
  const seek = (index: number): void => {
    const { player } = ui
    if (player === undefined) return
    const from = index < player.index ? 0 : player.index
    if (from === 0) ui.story.length = 0
    ui.picture = player.seek(index)
    if (from === 0) addToStory(ui, player.recording.start)
    for (const frame of player.recording.frames.slice(from, player.index)) addToStory(ui, frame)
    if (player.index === player.length) stop()
    redraw()
  }
  return {
    async openFile(file) {
      try {
        const text = await file.text()
        stop()
        open(text)
      } catch (thrown) {
        ui.fault = toMessage(thrown)
      }
      redraw()
    },
    leaveRecording() {
      stop()
      Object.assign(ui, { player: undefined, connection: "live", selected: undefined })
      ui.story.length = 0
      live()
    },
    step: (by) => seek((ui.player?.index ?? 0) + by),
    seek,
    togglePlaying() {
      const { player } = ui
      if (player === undefined) return
      if (player.playing) stop()
      else {
        if (player.index === player.length) seek(0)
        player.playing = true
        timer = setInterval(() => seek(player.index + 1), 700)
      }
      redraw()
    },
  }
}

function save(text: string, name: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }))
  link.download = `${name}-${new Date().toISOString().replaceAll(":", "-").slice(0, 19)}.recording.jsonl`
  link.click()
  URL.revokeObjectURL(link.href)
}
