/**
 * Runs `first` at the first SIGINT or SIGTERM; a second one ends the process at once, with code 1.
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
  process.on("SIGINT", onSignal)
  process.on("SIGTERM", onSignal)
  return () => {
    process.off("SIGINT", onSignal)
    process.off("SIGTERM", onSignal)
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
    process.stderr.write(
      `what was to be done before the exit failed: ${cause instanceof Error ? cause.stack : cause}\n`,
    )
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
