/**
 * Counts the subscribers of a store that does not report them itself.
 *
 * @param name - The store's method to subscribe, which returns a function or an object with `unsubscribe`.
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
