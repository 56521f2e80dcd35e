/** Lets a process end though a timer runs. In a page a timer is a number, and nothing is to be done. */
export function unref(timer: unknown): void {
  if (isUnrefable(timer)) timer.unref()
}

function isUnrefable(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function"
}
