/**
 * A call that holds something for as long as it runs.
 *
 * @param hold - Takes hold, and returns what lets go.
 */
export function holdWhile<Parameters extends readonly unknown[], Answer>(
  call: (...parameters: Parameters) => Promise<Answer>,
  hold: () => () => void,
): (...parameters: Parameters) => Promise<Answer> {
  return (...parameters) => {
    const release = hold()
    return call(...parameters).finally(release)
  }
}
