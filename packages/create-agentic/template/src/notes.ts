import { type AgenticService, action, createAgenticService, fail, state } from "@x/agentic-service"
import { map } from "rxjs"
import type { NoteBook } from "./store.js"

const Note = {
  type: "object",
  properties: { id: { type: "string" }, text: { type: "string" } },
  required: ["id", "text"],
} as const

/** What a model may see and do in the notes of one user. It is made anew when needed, so it keeps nothing itself. */
export function createNotes({ notes$, change }: NoteBook): AgenticService {
  const some = { is: notes$.pipe(map((notes) => notes.length > 0)), otherwise: "there are no notes yet" }
  return createAgenticService({
    name: "notes",
    description: "Notes to remember",
    states: {
      notes: state({
        description: "All notes, the newest last",
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
        // What is answered is on the disk.
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
        // The person is asked before it runs, by whatever client they use.
        confirm: () => `Remove all ${notes$.value.length} notes?`,
        execute: () => change(() => []),
      }),
    },
  })
}
