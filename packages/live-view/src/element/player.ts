import type { Frame } from "../frames/frame.js"
import { createPicture, type Picture } from "../frames/picture.js"
import type { Recording } from "../recording/parse-recording.js"

/** A recording that is played step by step. */
export interface Player {
  /** What is played. */
  readonly recording: Recording
  /** How many of its frames have happened. */
  readonly index: number
  /** How many there are. */
  readonly length: number
  /** Whether it goes on by itself. */
  playing: boolean
  /** The frame that has just happened. */
  current(): Frame
  /** Goes to a place. */
  seek(index: number): Picture
}

/** At its beginning. Going back plays it again from there. */
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
