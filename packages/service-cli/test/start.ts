import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** What the tests start: services and agents as commands. */
const programs = {
  board: new URL("board.mjs", import.meta.url),
  codeHelper: new URL("code-helper.mjs", import.meta.url),
  containers: new URL("containers.mjs", import.meta.url),
  escapes: new URL("escapes.mjs", import.meta.url),
  faults: new URL("faults.mjs", import.meta.url),
  settled: new URL("settled.mjs", import.meta.url),
  myAgent: new URL("my-agent.mjs", import.meta.url),
  noteTaker: new URL("note-taker.mjs", import.meta.url),
  threeTools: new URL("three-tools.mjs", import.meta.url),
}

/** One of them. */
export type Program = keyof typeof programs

/** How a program is started. */
export interface StartOptions {
  /** What is piped in; without it the input is empty. */
  readonly input?: string
  /** What is added to the environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a program, as a shell does. It ends with the test at the latest. */
export function start(program: Program, ...args: readonly string[]) {
  return startWith({}, program, ...args)
}

/**
 * Starts a program on a terminal of its own, 60 columns wide; what is written to it is typed there, and both its outputs are
 * one.
 */
export function startOnTerminal(program: Program, ...args: readonly string[]) {
  const words = [process.execPath, fileURLToPath(programs[program]), ...args].map(quote)
  const command = `stty cols 60 rows 24; exec ${words.join(" ")}`
  return watch(spawn("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"]))
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** {@link start}, with what is piped in. */
function startWith({ env }: StartOptions, program: Program, ...args: readonly string[]) {
  return watch(
    spawn(process.execPath, [fileURLToPath(programs[program]), ...args], { env: { ...process.env, ...env } }),
  )
}

/** Reads what a child process says; it ends with the test at the latest. */
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
  // What ends before it has read everything closes the pipe.
  child.stdin.on("error", () => undefined)
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...said })))
  return {
    said,
    /** Resolves once the program has ended and all it said has been read. */
    ended,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Writes to its input. */
    write: (text: string) => void child.stdin.write(text),
    /** Ends its input. */
    leave: () => void child.stdin.end(),
    /** Resolves once it has said something, with what the pattern found. */
    says: (pattern: RegExp, stream: "stdout" | "stderr" = "stdout") =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(said[stream])
          if (found === null) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void ended.then(() => reject(new Error(`ended without saying ${pattern}:\n${said.stdout}${said.stderr}`)))
      }),
  }
}

/** How a program ended. */
export interface Ended {
  /** The exit code; `null` when a signal ended it. */
  readonly code: number | null
  /** All it wrote there. */
  readonly stdout: string
  /** All it wrote there. */
  readonly stderr: string
}

/** Runs a program to its end, with nothing piped in. */
export function run(program: Program, ...args: readonly string[]): Promise<Ended> {
  return runWith({}, program, ...args)
}

/** {@link run}, by a command of the shell in which `$0 "$@"` is the program, such as one with a limit. */
export async function runInShell(command: string, program: Program, ...args: readonly string[]): Promise<Ended> {
  const all = [process.execPath, fileURLToPath(programs[program]), ...args]
  const running = watch(spawn("sh", ["-c", command, ...all]))
  running.leave()
  return running.ended
}

/** {@link run}, with something piped in. */
export function runWith(options: StartOptions, program: Program, ...args: readonly string[]): Promise<Ended> {
  const running = startWith(options, program, ...args)
  if (options.input !== undefined) running.write(options.input)
  running.leave()
  return running.ended
}
