import type { CallSubject } from "./adapter-event.js"

/**
 * Begins the work of a call in surroundings of its own making, such as the context of a trace, and returns what the work
 * returns; asked after the call's start is told. What it throws fails the call as the action's throwing would.
 */
export type Around = <Result>(call: CallSubject, work: () => Result) => Result

/** What is put around calls; the one added first is outermost. */
export interface Arounds {
  /** Begins the work of a call within all of them. */
  readonly begin: Around
  /**
   * Puts something around every call that starts from now on.
   *
   * @returns Takes it away again; idempotent.
   */
  add(around: Around): () => void
}

/** Nothing yet. */
export function createArounds(): Arounds {
  const arounds = new Set<Around>()
  return {
    add(around) {
      // Its own function, so that what is added twice is there twice.
      const added: Around = (call, work) => around(call, work)
      arounds.add(added)
      return () => void arounds.delete(added)
    },
    begin(call, work) {
      let begin = work
      for (const around of [...arounds].reverse()) {
        const inner = begin
        begin = () => around(call, inner)
      }
      return begin()
    },
  }
}
