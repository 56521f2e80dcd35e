import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { source } from "@x/agentic-service"
import { compileModule } from "svelte/compiler"
import { effect_root, snapshot, user_effect } from "svelte/internal/client"
import { countRuns } from "./count-runs.mjs"

export const title = "Svelte 5 runes"
export const packages = ["svelte"]

/** The runes, as the compiler implements them. */
const $effect = Object.assign(user_effect, { root: effect_root })
const $state = { snapshot }

const CLASS = "export class Box { todos = $state(); constructor(todos) { this.todos = todos } }"
// A place from which the compiled class can import Svelte.
const compiled = join(import.meta.dirname, "node_modules", ".runes.mjs")
writeFileSync(compiled, compileModule(CLASS, { generate: "client", filename: "box.svelte.js" }).js.code)
const { Box } = await import(compiled)

export function create(initial) {
  const box = new Box(initial)
  const runs = countRuns(() => {
    box.todos = snapshot(box.todos)
  })
  return {
    source: box,
    it: {
      get todos() {
        runs.count()
        return box.todos
      },
    },
    alsoRefused: [{ board: box }],
    write(todos) {
      box.todos = todos
    },
    touch() {
      box.todos[0].done = true
    },
    batch(one, two) {
      box.todos = one
      box.todos = two
    },
    listen: (heard) => effect_root(() => user_effect(() => heard(snapshot(box.todos)))),
    followers: runs.perChange,
  }
}

export const line = ({ it }) =>
  source.observe((notify) =>
    $effect.root(() => {
      $effect(() => notify($state.snapshot(it.todos)))
    }),
  )
