/** Resolves once somebody asks the process to end. A second Ctrl+C ends it at once. */
export function untilTerminated(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve())
    process.once("SIGTERM", () => resolve())
  })
}
