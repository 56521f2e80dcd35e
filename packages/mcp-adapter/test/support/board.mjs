// JavaScript, because a child process runs it too, on the built packages; tests run it on the sources.
import { action, createAgenticService, fail, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"

/** Creates an empty board. */
export function createBoard() {
  const history = new BehaviorSubject(false)
  const cards = new BehaviorSubject(0)
  const add = () => {
    cards.next(cards.value + 1)
    return cards.value
  }
  const finished = createSignal()
  const aborted = createSignal()
  const service = createAgenticService({
    name: "board",
    states: { count: state({ description: "How many cards", schema: { type: "integer" }, value: cards }) },
    actions: {
      add: action({ description: "Add a card", output: { type: "integer" }, execute: add }),
      start: action({ description: "Make history", execute: () => history.next(true) }),
      undo: action({ description: "Undo", when: history, execute: () => history.next(false) }),
      refuse: action({ description: "Fail", execute: () => fail("no card to take", { code: "empty" }) }),
      work: action({
        description: "Report progress, also what is none, until `finish`",
        execute(_, { progress }) {
          for (const done of [1, 1, 0, 2]) progress({ progress: done, total: 2 })
          return finished.promise
        },
      }),
      finish: action({ description: "Let `work` return", execute: () => finished.resolve() }),
      wait: action({
        description: "Wait until cancelled",
        execute: (_, { progress, signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              aborted.resolve()
              resolve()
            })
            progress({ progress: 1 })
          }),
      }),
      join: action({ description: "Return once `wait` was cancelled", execute: () => aborted.promise }),
    },
  })
  return { service, toggle: () => history.next(!history.value), count: add }
}

function createSignal() {
  let resolve = () => {}
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}
