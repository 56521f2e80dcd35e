/**
 * Counts who follows a store that does not tell itself: those who have subscribed, less those who have ended it.
 *
 * @param name - The method by which one subscribes; it gives back what ends it, a function or something to unsubscribe.
 */
export function counted(store, name = "subscribe") {
  let open = 0
  const subscribe = store[name]
  store[name] = (...args) => {
    const subscription = subscribe.apply(store, args)
    open += 1
    const stop = typeof subscription === "function" ? subscription : () => subscription.unsubscribe()
    const end = () => {
      open -= 1
      return stop()
    }
    return typeof subscription === "function" ? end : { unsubscribe: end }
  }
  return { store, followers: () => open }
}
