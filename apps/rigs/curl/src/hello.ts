import { type AgenticService, action, createAgenticService, fail, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"

const made = new BehaviorSubject(0)

export const hello: AgenticService = createAgenticService({
  name: "hello",
  states: {
    made: state({ description: "The number of announcements", schema: { type: "integer" }, value: made }),
  },
  actions: {
    hello_world: action({
      description: "Makes a terse announcement",
      input: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
      output: { type: "string" },
      execute({ input }) {
        if (input === "") return fail("there is nothing to announce", { recovery: "pass the topic" })
        made.next(made.value + 1)
        return `Hear ye: ${input}`
      },
    }),
  },
})
