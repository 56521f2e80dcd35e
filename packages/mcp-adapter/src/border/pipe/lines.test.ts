import { describe, expect, it } from "vitest"
import { createLineWriter } from "./lines.js"

/** Creates a writer whose output accepts a text when told to. */
function createRig() {
  const sent: string[] = []
  const accept: ((error?: Error) => void)[] = []
  const lines = createLineWriter((text, done) => {
    sent.push(text)
    accept.push(done)
  })
  return { ...lines, sent, accept }
}

/** Waits for the end of this turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe("lines written", () => {
  it("in one turn of the event loop are sent together, in their order", async () => {
    const { write, sent } = createRig()

    void write("a")
    await Promise.resolve()
    void write("b")
    expect(sent).toEqual([])
    await turn()
    void write("c")
    await turn()

    expect(sent).toEqual(["a\nb\n", "c\n"])
  })

  it("are accepted together, once the output has accepted their text", async () => {
    const { write, accept } = createRig()
    const accepted: string[] = []
    const [first, second] = [write("a"), write("b")]
    void first.then(() => accepted.push("a"))
    void second.then(() => accepted.push("b"))

    await turn()
    expect(accepted).toEqual([])
    accept[0]?.()
    await turn()

    expect(accepted).toEqual(["a", "b"])
  })

  it("are refused together, if the output fails", async () => {
    const { write, accept } = createRig()
    const lines = [write("a"), write("b")]
    const failed = expect(Promise.all(lines)).rejects.toThrow("gone")

    await turn()
    accept[0]?.(new Error("gone"))

    await failed
  })

  it("are sent at once by a flush, and not again at the end of the turn", async () => {
    const { write, flush, sent } = createRig()

    void write("a")
    flush()
    expect(sent).toEqual(["a\n"])
    await turn()

    expect(sent).toEqual(["a\n"])
  })
})
