import { tell } from "./terminal/display.js"

/**
 * Keeps the process alive while there is work, whatever the work itself holds: an action may wait for something that holds
 * nothing, and the adapter's timers hold nothing either.
 *
 * @returns Lets the process end.
 */
export function stayAlive(): () => void {
  const awake = setInterval(() => undefined, LONGEST)
  return () => clearInterval(awake)
}

/**
 * Runs `first` at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once, with code 1.
 *
 * @returns Lets go of the signals.
 */
export function untilSignal(first: () => void): () => void {
  let asked = false
  const onSignal = (): void => {
    if (asked) process.exit(1)
    asked = true
    first()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}

/** Does what is to be done when all is over, for {@link FINISHING} milliseconds at most. A failure of it is told, and no more. */
export async function finish(onExit: (() => void | Promise<void>) | undefined): Promise<void> {
  if (onExit === undefined) return
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FINISHING)
  })
  await Promise.race([late, tryIt(onExit)])
  clearTimeout(timer)
}

async function tryIt(onExit: () => void | Promise<void>): Promise<void> {
  try {
    await onExit()
  } catch (cause) {
    tell("what was to be done before the exit failed", String(cause instanceof Error ? cause.stack : cause))
  }
}

/** Ends the process once what was written is out, or could not get out in {@link FLUSH} milliseconds. */
export function exitWith(code: number): Promise<never> {
  return new Promise(() => {
    const exit = (): void => process.exit(code)
    setTimeout(exit, FLUSH)
    process.stdout.write("", () => void process.stderr.write("", exit))
  })
}

/** How long the last steps may take, in milliseconds. */
const FINISHING = 5_000

/** How long what was written may take to get out, in milliseconds. */
const FLUSH = 1_000

/** What tells a process to end: the person, the system, and the terminal that is closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** The most milliseconds that a timer can wait. */
const LONGEST = 2 ** 31 - 1
