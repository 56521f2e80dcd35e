import type { Frame } from "../frames/frame.js"
import { createPicture, type Picture } from "../frames/picture.js"
import type { Recording } from "../recording/parse-recording.js"

/** A recording that is played step by step. */
export interface Player {
  /** The recording. */
  readonly recording: Recording
  /** The number of applied frames. */
  readonly index: number
  /** The number of frames. */
  readonly length: number
  /** Whether it is playing automatically. */
  playing: boolean
  /** Returns the last applied frame. */
  current(): Frame
  /** Moves to a position. */
  seek(index: number): Picture
}

/** Creates a player at the beginning. Moving back replays the recording from there. */
export function createPlayer(recording: Recording): Player {
  const { start, frames } = recording
  let keeper = createPicture(start)
  let index = 0
  return {
    recording,
    get index() {
      return index
    },
    length: frames.length,
    playing: false,
    current: () => frames[index - 1] ?? start,
    seek(wanted) {
      const to = Math.max(0, Math.min(frames.length, wanted))
      if (to < index) {
        keeper = createPicture(start)
        index = 0
      }
      for (const frame of frames.slice(index, to)) keeper.apply(frame)
      index = to
      return keeper.picture
    },
  }
}
