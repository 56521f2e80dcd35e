/** Writes a line for people to standard error, under the command's name. */
export function tell(name: string, message: string): void {
  process.stderr.write(`${name}: ${message}\n`)
}

/** Writes to standard output; resolves once it can take more. A reader that is gone, such as `head`, is no error. */
export function print(text: string): Promise<void> {
  const { stdout } = process
  if (!stdout.listeners("error").includes(ignore)) stdout.on("error", ignore)
  return new Promise((resolve) => void stdout.write(text, () => resolve()))
}

function ignore(): void {}

/** A message on one line, without what would control a terminal. */
export function toLine(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  return message.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim()
}
