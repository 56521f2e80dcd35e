import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createStatusLine } from "./status-line.js"

/** Returns what a terminal shows after this output, without colours. */
function screenOf(output: string): readonly string[] {
  const lines = [""]
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are controlled with them.
  for (const [part] of output.matchAll(/\r\u001b\[K|\n|[^\r\n]+/g)) {
    if (part === "\n") lines.push("")
    else lines[lines.length - 1] = part.startsWith("\r") ? "" : lines.at(-1) + part
  }
  return lines
}

/** Shows a status in a terminal that is 30 columns wide. */
function showIn(isTTY: boolean) {
  let output = ""
  const status = new BehaviorSubject("no page is open")
  const write = (text: string): void => {
    output += text
  }
  const line = createStatusLine(status, { isTTY, columns: 30, write })
  return { status, line, screen: () => screenOf(output) }
}

describe("the status line", () => {
  it("stays below what is told, and follows the newest status", () => {
    const { status, line, screen } = showIn(true)

    line.tell("one")
    status.next("1 page is open")
    line.tell("two")

    expect(screen()).toEqual(["one", "two", "1 page is open"])
  })

  it("is one line, however long the status", () => {
    const { status, screen } = showIn(true)

    status.next("2 models are connected: Claude Code, Cursor")

    expect(screen()).toEqual(["2 models are connected: Claud"])
  })

  it("is gone when it is closed, and follows nothing any more", () => {
    const { status, line, screen } = showIn(true)
    line.tell("one")

    line.close()
    status.next("late")

    expect(screen()).toEqual(["one", ""])
    expect(status.observed).toBe(false)
  })

  it("is left out where the output is no terminal", () => {
    const { status, line, screen } = showIn(false)

    status.next("1 page is open")
    line.tell("one")

    expect(screen()).toEqual(["one", ""])
    expect(status.observed).toBe(false)
  })
})
