/** Runs `callback` at the first call only. */
export function once(callback: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    callback()
  }
}
