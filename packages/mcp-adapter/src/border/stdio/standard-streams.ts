import { type Readable, Transform, Writable } from "node:stream"
import type { Report } from "../../runtime/diagnostic.js"
import type { Clock } from "../../runtime/host.js"

/** Standard output while it belongs to the protocol. */
interface ClaimedStdout {
  /** Writes to standard output; nothing else does. */
  readonly output: Writable
  /** Lets others write again; idempotent. */
  release(): void
}

/**
 * Keeps everything but the protocol off standard output: what `console.log` and other writers send there goes to standard
 * error, and the first of them is reported. What is written past `process.stdout`, to the descriptor or by a child process
 * that inherits it, cannot be kept off.
 */
export function claimStdout(report: Report): ClaimedStdout {
  const { stdout, stderr } = process
  const { write } = stdout
  // Without a listener, a client that is gone would throw in the host; it may still do so when all is over. One that does
  // not read standard error would do so as soon as somebody logs.
  for (const stream of [stdout, stderr]) if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore)
  let told = false
  const redirected = new Proxy(stderr.write, {
    apply(target, _stdout, given) {
      if (!told) {
        told = true
        report({ code: "stray_output", message: STRAY, cause: new Error("it was written here") })
      }
      return Reflect.apply(target, stderr, given)
    },
  })
  stdout.write = redirected
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write.call(stdout, chunk, encoding, done),
  })
  return {
    output,
    release() {
      if (stdout.write === redirected) stdout.write = write
    },
  }
}

const STRAY =
  "something other than the protocol was written to standard output, and went to standard error: expected it to log there"

function ignore(): void {}

/** Standard input while a server reads it. */
interface TakenStdin {
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
