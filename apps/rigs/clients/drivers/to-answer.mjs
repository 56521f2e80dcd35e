/** Converts a tool's result for the matrix: whether it failed, and its text. */
export function toAnswer({ isError = false, content }) {
  return { isError, text: content.flatMap(({ text }) => text ?? []).join("\n") }
}
