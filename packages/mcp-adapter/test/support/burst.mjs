import { action, createAgenticService, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"

/** Creates a service of many states with names of given lengths, and an action that changes all in one task. */
export function createBurst(count, lengthOf = (_index) => 200) {
  const values = Array.from({ length: count }, () => new BehaviorSubject(0))
  const schema = { type: "integer" }
  const states = values.map((value, index) => [`s${index}_${"x".repeat(lengthOf(index))}`, state({ schema, value })])
  return createAgenticService({
    name: "burst",
    states: Object.fromEntries(states),
    actions: {
      shake: action({
        description: "Changes every state",
        execute: () => {
          for (const value of values) value.next(value.value + 1)
        },
      }),
    },
  })
}
