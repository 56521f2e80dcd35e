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
