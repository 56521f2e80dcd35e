// A server that writes what belongs to an answer, the answer, and a notice of lists in one go; over standard input and output,
// in the era that its environment says. With LAST it ends right after.
import { createInterface } from "node:readline"
import { answerIn } from "./one-write.mjs"

createInterface({ input: process.stdin }).on("line", (line) => {
  const messages = answerIn(process.env.ERA, JSON.parse(line))
  if (messages.length === 0) return
  const text = messages.map((message) => `${JSON.stringify(message)}\n`).join("")
  const ends = process.env.LAST && messages.length > 1
  process.stdout.write(text, () => ends && process.exit(0))
})
