import type { OpenQuestion } from "../ask-person.js"
import { Dialog } from "./dialog.js"
import { Icon } from "./icon.js"

/** Asks the person before something happens that destroys. */
export function QuestionDialog({ question }: { readonly question: OpenQuestion }) {
  const no = (): void => question.answer(false)
  return (
    <Dialog label={question.text} className="question" close={no} strict>
      <p className="sign">
        <Icon of="trash" />
      </p>
      <h2>{question.text}</h2>
      <p>
        A model that works on this board asks for it. The cards go from the board in every tab; you can take it back.
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
