import { type SubmitEvent, useSyncExternalStore } from "react"
import { add, notes$ } from "./notes.js"

/** The page: the notes, and a field for another. */
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
      <ul>
        {notes.map((note, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two notes may say the same
          <li key={at}>{note}</li>
        ))}
      </ul>
      <input name="text" aria-label="A note" />
      <button type="submit">Add</button>
    </form>
  )
}

function subscribe(changed: () => void): () => void {
  const subscription = notes$.subscribe(changed)
  return () => subscription.unsubscribe()
}
