import { sameValue } from "@x/base"
import type { RecordErrorCode } from "./record-store.js"

/** Fails a law unless something holds. */
export function ensure(good: boolean, expected: string): void {
  if (!good) throw new Error(expected)
}

/** Fails a law unless two values are equal. */
export function same(found: unknown, expected: unknown, what: string): void {
  ensure(sameValue(found, expected), `${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
}

/** Fails a law unless work fails with a code. */
export async function fails(code: RecordErrorCode, work: Promise<unknown> | (() => Promise<unknown>)): Promise<void> {
  const found = await (typeof work === "function" ? work() : work).then(
    () => "success",
    (thrown: unknown) => codeOf(thrown),
  )
  same(found, code, "the outcome")
}

/** Returns the code of an error, or any other thrown value itself. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : thrown
}

/** Resolves once something is so, checked again and again; rejects after ten seconds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000
  while (!(await isSo())) {
    ensure(performance.now() < end, "expected it within ten seconds")
    await new Promise<void>((resolve) => void setTimeout(resolve, 5))
  }
}
