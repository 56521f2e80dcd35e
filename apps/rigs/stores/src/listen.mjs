/** The application's own way to follow its store, with what it has heard. */
export function listen(made) {
  const heard = []
  const failed = []
  const stop = made.listen(
    (value) => void heard.push(copy(value)),
    (error) => void failed.push(error),
  )
  return { heard, failed, stop }
}

/** As it is now: it may be changed in place. */
function copy(value) {
  try {
    return structuredClone(value)
  } catch (error) {
    return `what is no data: ${error.message}`
  }
}
