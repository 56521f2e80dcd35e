import { expect, it } from "vitest"
import { toClock, toDuration } from "./times.js"

it.each([
  [0.2, "<1 ms"],
  [1, "1 ms"],
  [999, "999 ms"],
  [999.7, "1.0 s"],
  [1_234, "1.2 s"],
  [9_949, "9.9 s"],
  [9_960, "10 s"],
  [60_023, "60 s"],
  [125_000, "2 min 5 s"],
  [180_000, "3 min"],
  [3_600_000, "60 min"],
  [6_180_000, "1 h 43 min"],
])("%d ms last %s", (ms, text) => {
  expect(toDuration(ms)).toBe(text)
})

it("an event's time of day follows from the start's", () => {
  const start = { time: new Date(2026, 0, 2, 14, 3, 20).toISOString(), at: 1_000 }

  expect(toClock(start, 8_000)).toBe("14:03:27")
  expect(toClock({ time: "yesterday", at: 0 }, 1)).toBe("")
})
