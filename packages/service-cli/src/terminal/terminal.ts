/** Where a person is asked: standard input and standard error, where both are a terminal. */
export interface Terminal {
  /** What the person types. */
  readonly input: NodeJS.ReadStream
  /** Where the questions are. */
  readonly output: NodeJS.WriteStream
}

/** The process's own terminal; `undefined` where it has none. */
export function findTerminal(): Terminal | undefined {
  const { stdin, stderr } = process
  return stdin.isTTY && stderr.isTTY ? { input: stdin, output: stderr } : undefined
}
