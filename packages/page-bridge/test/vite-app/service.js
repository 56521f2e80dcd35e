import { action, createAgenticService, state } from "@x/agentic-service"
import { BehaviorSubject, map } from "rxjs"

export const count$ = new BehaviorSubject(0)
export const board = createAgenticService({
  name: "board",
  states: { count: state({ description: "How many", schema: { type: "integer" }, value: count$ }) },
  actions: {
    add: action({
      description: "Add one",
      output: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
      execute() {
        count$.next(count$.value + 1)
        return { count: count$.value }
      },
    }),
    look: action({ description: "Look", readOnly: true, execute: () => ({ seen: true }) }),
    undo: action({
      description: "Take one back",
      when: count$.pipe(map((count) => count > 0)),
      execute: () => count$.next(count$.value - 1),
    }),
  },
})
