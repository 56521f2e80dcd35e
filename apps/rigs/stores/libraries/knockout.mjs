import ko from "knockout"

export const title = "Knockout"

export function create(initial) {
  const source = ko.observable(initial)
  return {
    source,
    write: (value) => source(value),
    touch() {
      source.peek()[0].done = true
      source.valueHasMutated()
    },
    batch(one, two) {
      source(one)
      source(two)
    },
    listen(heard) {
      heard(source.peek())
      const subscription = source.subscribe(heard)
      return () => subscription.dispose()
    },
    followers: () => source.getSubscriptionsCount("change"),
  }
}
