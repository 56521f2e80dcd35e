import { action, createAgenticService, fail, state } from "@x/agentic-service"
import { BehaviorSubject, map } from "rxjs"

/** The notes on the screen. The page shows them, and a model sees the same. */
export const notes$ = new BehaviorSubject<readonly string[]>([])

const some = { is: notes$.pipe(map((notes) => notes.length > 0)), otherwise: "there are no notes" }

/** What a model may see and do. At the top level of a module, so that a change of it is a new page, never half of one. */
export const notes = createAgenticService({
  name: "notes",
  description: "Notes, as the person has them on the screen",
  states: {
    notes: state({
      description: "All notes, oldest first",
      schema: { type: "array", items: { type: "string" } },
      value: notes$,
    }),
  },
  actions: {
    add: action({
      description: "Add a note",
      input: {
        type: "object",
        properties: { text: { type: "string", minLength: 1 } },
        required: ["text"],
        additionalProperties: false,
      },
      execute: ({ text }) => add(text),
    }),
    remove: action({
      description: "Remove the note at a place, counted from 0",
      when: some,
      input: {
        type: "object",
        properties: { at: { type: "integer", minimum: 0 } },
        required: ["at"],
        additionalProperties: false,
      },
      execute: ({ at }) => {
        if (notes$.value[at] === undefined) return fail(`there is no note at ${at}`)
        notes$.next(notes$.value.filter((_, index) => index !== at))
      },
    }),
  },
})

/** What the button does, and a model. */
export function add(text: string): void {
  notes$.next([...notes$.value, text])
}
