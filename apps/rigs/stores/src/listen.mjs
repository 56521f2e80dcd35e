/** Subscribes the application's own listener to its store, and records the values and errors that it receives. */
export function listen(made) {
  const heard = []
  const failed = []
  const stop = made.listen(
    (value) => void heard.push(copy(value)),
    (error) => void failed.push(error),
  )
  return { heard, failed, stop }
}

/** Copies a value, since the store may change it in place. */
function copy(value) {
  try {
    return structuredClone(value)
  } catch (error) {
    return `values that are not data: ${error.message}`
  }
}
