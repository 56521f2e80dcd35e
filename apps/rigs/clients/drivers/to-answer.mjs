/** A tool's result in the words of the matrix: whether it failed, and what there is to read. */
export function toAnswer({ isError = false, content }) {
  return { isError, text: content.flatMap(({ text }) => text ?? []).join("\n") }
}
