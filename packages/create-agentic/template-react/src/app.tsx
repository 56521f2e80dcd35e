import { type SubmitEvent, useSyncExternalStore } from "react"
import { add, notes$ } from "./notes.js"

/** Renders all notes, and a field to add one. */
export function App() {
  const notes = useSyncExternalStore(subscribe, () => notes$.value)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get("text"))
    if (text !== "") add(text)
    event.currentTarget.reset()
  }
  return (
    <form onSubmit={submit}>
      <h1>Notes</h1>
      {notes.length === 0 && <p className="hint">No notes yet. Add one, or ask a model to.</p>}
      <ul>
        {notes.map((note, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two notes may have the same text
          <li key={at}>{note}</li>
        ))}
      </ul>
      <div className="new">
        <input name="text" aria-label="A note" placeholder="A note" />
        <button type="submit">Add</button>
      </div>
    </form>
  )
}

function subscribe(changed: () => void): () => void {
  const subscription = notes$.subscribe(changed)
  return () => subscription.unsubscribe()
}
