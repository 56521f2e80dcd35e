import { useEffect, useState } from "react"
import type { Board } from "../../../src/board/board.js"
import type { OpenQuestion } from "../ask-person.js"
import { Dialog } from "./dialog.js"
import { Icon } from "./icon.js"

/** How many cards are named; the others are counted. */
const NAMED = 5

interface QuestionProps {
  readonly question: OpenQuestion
  /** The asking client's name. */
  readonly by: string
  readonly board: Board
}

/** Asks the person before a destructive action: who asks, for what, and until when. */
export function QuestionDialog({ question, by, board }: QuestionProps) {
  const no = (): void => question.answer(false)
  const left = useSecondsUntil(question.until)
  const named = board.cards.slice(0, NAMED)
  return (
    <Dialog label={question.text} className="question" close={no} strict>
      <p className="sign">
        <Icon of="trash" />
      </p>
      <h2>{question.text}</h2>
      <p>
        <strong>{by}</strong> wants to run <code>{question.action}</code>. These cards disappear from the board in every
        tab; you can undo it afterwards.
      </p>
      <ul>
        {named.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
        {board.cards.length > NAMED && <li>and {board.cards.length - NAMED} more</li>}
      </ul>
      <p className="left" role="timer">
        {left > 0 ? `Waits ${left} s for your answer; then nothing happens.` : "Nobody waits for an answer any more."}
      </p>
      <div className="answers">
        <button type="button" onClick={no}>
          No, keep them
        </button>
        <button type="button" className="danger" onClick={() => question.answer(true)}>
          Yes, delete
        </button>
      </div>
    </Dialog>
  )
}

function useSecondsUntil(time: number): number {
  const read = (): number => Math.max(0, Math.ceil((time - Date.now()) / 1_000))
  const [left, setLeft] = useState(read)
  useEffect(() => {
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((time - Date.now()) / 1_000))), 1_000)
    return () => clearInterval(timer)
  }, [time])
  return left
}
