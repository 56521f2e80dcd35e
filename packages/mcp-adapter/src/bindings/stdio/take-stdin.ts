import { type Readable, Transform } from "node:stream"
import type { Clock } from "../../runtime/clock.js"

/** Standard input while a server reads it. */
export interface TakenStdin {
  /** What comes in. */
  readonly input: Readable
  /** Reads no more. */
  release(): void
}

/**
 * Reads standard input, and puts off its end: the SDK aborts what runs when its input ends, though there may be answers that
 * somebody still reads.
 *
 * @param ended - Runs once everything has been read and the input has ended; the stream ends when it is done.
 */
export function takeStdin(clock: Clock, ended: () => Promise<void>): TakenStdin {
  const input = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    // The last of it is read within this task.
    flush: (done) => void clock.settle(() => void ended().then(() => done(), done)),
  })
  const { stdin } = process
  const end = (): void => void input.end()
  stdin.pipe(input)
  // Without an end, as when it fails.
  stdin.once("close", end)
  stdin.once("error", end)
  return {
    input,
    release() {
      stdin.unpipe(input)
      stdin.pause()
    },
  }
}
