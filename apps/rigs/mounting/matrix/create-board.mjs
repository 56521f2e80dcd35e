import { action, createAgenticService } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"

/**
 * Creates a service whose tools come and go. One of its tools ends only when its progress has been read.
 *
 * @returns The service, and `progressRead`, which ends the calls of "count".
 */
export function createBoard() {
  const unlocked = new BehaviorSubject(false)
  let added = 0
  let progressRead = () => {}
  const service = createAgenticService({
    name: "board",
    actions: {
      add: action({ description: "Adds a card", output: { type: "integer" }, execute: () => ++added }),
      toggle: action({ description: "Adds or removes a tool", execute: () => unlocked.next(!unlocked.value) }),
      extra: action({ description: "Comes and goes", when: unlocked, execute: () => "here" }),
      count: action({
        description: "Reports progress, and ends once the client has read it",
        async execute(_, { progress }) {
          const read = new Promise((resolve) => {
            progressRead = resolve
          })
          progress({ progress: 1, total: 2 })
          await read
        },
      }),
    },
  })
  return { service, progressRead: () => progressRead() }
}
