import type { Call } from "./call.js"
import type { SeatOptions } from "./seat.js"

/** What a person does with a question. */
type Reaction = "accept" | "decline" | "cancel"

/** The seat's part that questions need. */
interface Asked {
  readonly faults: string[]
  /** Returns the open call. */
  readonly open: () => Call | undefined
  /** Returns the cancelled call, as long as its server may not know. */
  readonly leaving: () => Call | undefined
  readonly overhear: (text: string) => void
}

/** Creates the questions of a person. One is open at a time. */
export function createQuestions({ person, world, vague }: SeatOptions, { faults, open, leaving, overhear }: Asked) {
  let answer: ((reaction: Reaction) => void) | undefined
  const note = (call: Call, message: string): void => {
    const doc = world.asking(call.number)
    call.questions += 1
    call.asked = doc
    call.accepted = false
    const words = vague ? "Do it, for" : `Do it to ${doc?.title}, edition ${doc?.edition},`
    if (!message.includes(words)) faults.push(`${person} was asked in words of another document: ${message}`)
  }
  const react = (call: Call | undefined, reaction: Reaction): void => {
    answer = undefined
    if (call === undefined) return
    call.accepted = reaction === "accept"
    call.declined ||= reaction !== "accept"
  }
  return {
    isAsked: () => answer !== undefined,
    answer: (reaction: Reaction): void => answer?.(reaction),
    /** Shows a question. The server asked about a cancelled call before it knew: that question is closed. */
    ask(message: string): Promise<{ action: Reaction; content?: { confirm: boolean } }> {
      overhear(message)
      const call = [open(), leaving()].find((each) => each && message.includes(`for call ${each.number}?`))
      if (call !== undefined && call === leaving()) return Promise.resolve({ action: "cancel" })
      if (call === undefined) faults.push(`${person} was asked about a call that is not open: ${message}`)
      else note(call, message)
      return new Promise((resolve) => {
        answer = (reaction) => {
          react(call, reaction)
          resolve(reaction === "accept" ? { action: reaction, content: { confirm: true } } : { action: reaction })
        }
      })
    },
  }
}
