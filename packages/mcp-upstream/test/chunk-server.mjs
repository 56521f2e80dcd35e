// Writes an answer's earlier messages, the answer and a list notice in one chunk, over standard input and output, in the era
// given by its environment. With LAST it exits right after.
import { createInterface } from "node:readline"
import { answerIn } from "./one-write.mjs"

createInterface({ input: process.stdin }).on("line", (line) => {
  const messages = answerIn(process.env.ERA, JSON.parse(line))
  if (messages.length === 0) return
  const text = messages.map((message) => `${JSON.stringify(message)}\n`).join("")
  const ends = process.env.LAST && messages.length > 1
  process.stdout.write(text, () => ends && process.exit(0))
})
