import { type AgenticService, action, createAgenticService, state } from "@x/agentic-service"
import { BehaviorSubject, firstValueFrom, fromEvent, skip, takeUntil } from "rxjs"

/** Notes that anyone may add to. */
export function createNotes(): AgenticService {
  const notes = new BehaviorSubject<readonly string[]>([])
  return createAgenticService({
    name: "notes",
    states: { notes: state({ schema: { type: "array", items: { type: "string" } }, value: notes }) },
    actions: {
      add: action({
        description: "Adds a note, and returns the number of notes",
        input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        output: { type: "integer" },
        execute({ text }) {
          notes.next([...notes.value, text])
          return notes.value.length
        },
      }),
      follow: action({
        description: "Waits for the next note, and returns the number of notes",
        readOnly: true,
        output: { type: "integer" },
        async execute(_, { signal }) {
          const added = notes.pipe(skip(1), takeUntil(fromEvent(signal, "abort")))
          return (await firstValueFrom(added)).length
        },
      }),
    },
  })
}
