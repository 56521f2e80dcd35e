import { assign, createActor, createMachine } from "xstate"

export const title = "XState"

export function create(initial) {
  const machine = createMachine({
    context: { value: initial },
    on: {
      written: { actions: assign({ value: ({ event }) => event.value }) },
      failed: {
        actions: assign(() => {
          throw new Error("broken")
        }),
      },
    },
  })
  const source = createActor(machine).start()
  const write = (value) => source.send({ type: "written", value })
  return {
    source,
    write,
    touch() {
      const todos = source.getSnapshot().context.value
      todos[0].done = true
      write([...todos])
    },
    batch(one, two) {
      write(one)
      write(two)
    },
    listen(heard, failed) {
      heard(source.getSnapshot().context.value)
      const subscription = source.subscribe({ next: ({ context }) => heard(context.value), error: failed })
      return () => subscription.unsubscribe()
    },
    followers: () => source.observers.size,
  }
}

export const inner = ({ context }) => context.value

export function createFailing(initial) {
  const made = create(initial)
  return { ...made, tellsErrors: true, fail: () => made.source.send({ type: "failed" }) }
}
