import { action, createAgenticService, fail, state } from "@x/agentic-service"
import { BehaviorSubject, map } from "rxjs"

/** The notes on the screen. A model sees the same. */
export const notes$ = new BehaviorSubject<readonly string[]>([])

const some = { is: notes$.pipe(map((notes) => notes.length > 0)), otherwise: "there are no notes" }

/**
 * The states and actions for models. They are at the top level of a module, so that editing them reloads the page completely.
 */
export const notes = createAgenticService({
  name: "notes",
  description: "The notes on the person's screen",
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
      description: "Remove the note at an index, counted from 0",
      when: some,
      input: {
        type: "object",
        properties: { at: { type: "integer", minimum: 0 } },
        required: ["at"],
        additionalProperties: false,
      },
      execute: ({ at }) => {
        if (notes$.value[at] === undefined) return fail(`there is no note at index ${at}`)
        notes$.next(notes$.value.filter((_, index) => index !== at))
      },
    }),
  },
})

/** Adds a note. The button and models call it. */
export function add(text: string): void {
  notes$.next([...notes$.value, text])
}
