import { describe, expect, it } from "vitest"
import { checkToolName } from "./tool-name.js"

describe("checkToolName", () => {
  it.each(["undo", "_x", "Take-back_2", "a".repeat(64)])("takes %j", (name) => {
    expect(checkToolName(name)).toBe(name)
  })

  it.each(["", "2x", "child.undo", "take back", "rückgängig", "a".repeat(65)])(
    "refuses %j, and says what is wanted",
    (name) => {
      expect(() => checkToolName(name)).toThrow("expected a letter")
    },
  )
})
