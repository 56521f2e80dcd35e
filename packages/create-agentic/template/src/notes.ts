import { type AgenticService, action, createAgenticService, fail, state } from "@x/agentic-service"
import { map } from "rxjs"
import type { NoteBook } from "./store.js"

const Note = {
  type: "object",
  properties: { id: { type: "string" }, text: { type: "string" } },
  required: ["id", "text"],
} as const

/** Creates one user's service for models. It may be created again at any time, so it keeps no state itself. */
export function createNotes({ notes$, change }: NoteBook): AgenticService {
  const some = { is: notes$.pipe(map((notes) => notes.length > 0)), otherwise: "there are no notes yet" }
  return createAgenticService({
    name: "notes",
    description: "Notes to remember",
    states: {
      notes: state({
        description: "All notes, newest last",
        schema: { type: "array", items: Note },
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
        output: Note,
        // The result is returned once the note is on disk.
        async execute({ text }) {
          const note = { id: crypto.randomUUID().slice(0, 8), text }
          await change((notes) => [...notes, note])
          return note
        },
      }),
      remove: action({
        description: "Remove one note",
        input: {
          type: "object",
          properties: { id: { type: "string" } },
          required: ["id"],
          additionalProperties: false,
        },
        when: some,
        async execute({ id }) {
          if (!notes$.value.some((note) => note.id === id))
            return fail(`there is no note "${id}"`, { recovery: "read the notes" })
          await change((notes) => notes.filter((note) => note.id !== id))
        },
      }),
      clear: action({
        description: "Remove all notes",
        destructive: true,
        when: some,
        // Every client asks the person before this action runs.
        confirm: () => `Remove all ${notes$.value.length} notes?`,
        execute: () => change(() => []),
      }),
    },
  })
}
