import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { stripVTControlCharacters } from "node:util"
import { onTestFinished } from "vitest"

/** Options for starting a program. */
export interface StartOptions {
  /** The piped input. Default: the input stays open. */
  readonly input?: string
  /** The environment. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Starts a program that ends with the test. */
export function start(program: string, args: readonly string[], { input, env = process.env }: StartOptions = {}) {
  const child = watch(spawn(program, args, { env }))
  if (input !== undefined) child.end(input)
  return child
}

/** Starts an interactive program on a pseudo-terminal, where written text is typed. */
export function startOnTerminal(command: string, env: StartOptions["env"] = process.env) {
  const args = ["--quiet", "--return", "--flush", "--command", `stty cols 120 rows 24; exec ${command}`, "/dev/null"]
  return watch(spawn("script", args, { env: { ...env, TERM: "xterm" } }))
}

/** Returns the visible text of a terminal's output, without characters that were overwritten. */
function toRead(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a backspace, with the character it erases.
  return stripVTControlCharacters(output).replace(/[^\n]\u0008/g, "")
}

/** The most milliseconds to wait for an output. */
const PATIENCE = 20_000

function watch(child: ChildProcessWithoutNullStreams) {
  onTestFinished(() => void child.kill("SIGKILL"))
  const said = { stdout: "", stderr: "" }
  const waiting = new Set<() => void>()
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text
      for (const look of [...waiting]) look()
    })
  }
  child.stdin.on("error", () => undefined)
  const ended = new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => child.once("close", (code) => resolve({ code, ...said })),
  )
  return {
    ended,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    type: (text: string) => void child.stdin.write(text),
    end: (text: string) => void child.stdin.end(text),
    /** Resolves once the visible standard output matches. */
    says: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(toRead(said.stdout))
          if (found === null) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        const late = () => reject(new Error(`did not print ${pattern}:\n${JSON.stringify(said.stdout)}`))
        setTimeout(late, PATIENCE).unref()
        void ended.then(() => reject(new Error(`ended without printing ${pattern}:\n${said.stdout}${said.stderr}`)))
      }),
  }
}
