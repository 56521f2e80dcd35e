import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** The services and agents that the tests start as commands. */
const programs = {
  board: new URL("board.mjs", import.meta.url),
  codeHelper: new URL("code-helper.mjs", import.meta.url),
  containers: new URL("containers.mjs", import.meta.url),
  escapes: new URL("escapes.mjs", import.meta.url),
  faults: new URL("faults.mjs", import.meta.url),
  gateway: new URL("../dist/gateway/main.js", import.meta.url),
  settled: new URL("settled.mjs", import.meta.url),
  myAgent: new URL("my-agent.mjs", import.meta.url),
  noteTaker: new URL("note-taker.mjs", import.meta.url),
  threeTools: new URL("three-tools.mjs", import.meta.url),
}

/** One of the programs. */
export type Program = keyof typeof programs

/** How a program is started. */
export interface StartOptions {
  /** The piped input. Default: empty. */
  readonly input?: string
  /** Further environment variables. */
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a program as a shell does. The test's end stops it at the latest. */
export function start(program: Program, ...args: readonly string[]) {
  return startWith({}, program, ...args)
}

/**
 * Starts a program on its own terminal, 60 columns wide. Text written to it is typed there, and both its outputs are merged.
 */
export function startOnTerminal(program: Program, ...args: readonly string[]) {
  const words = [process.execPath, fileURLToPath(programs[program]), ...args].map(quote)
  const command = `stty cols 60 rows 24; exec ${words.join(" ")}`
  return watch(spawn("script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"]))
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** Starts a program like {@link start}, with piped input. */
function startWith({ env }: StartOptions, program: Program, ...args: readonly string[]) {
  return watch(
    spawn(process.execPath, [fileURLToPath(programs[program]), ...args], { env: { ...process.env, ...env } }),
  )
}

/** Reads a child process's output. The test's end stops it at the latest. */
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
  // A program that ends before it has read everything closes the pipe.
  child.stdin.on("error", () => undefined)
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...said })))
  return {
    said,
    /** Resolves once the program has ended and its output has been read. */
    ended,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Writes to its input. */
    write: (text: string) => void child.stdin.write(text),
    /** Ends its input. */
    leave: () => void child.stdin.end(),
    /** Resolves with the match once its output matches the pattern. */
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
        void ended.then(() => reject(new Error(`ended without printing ${pattern}:\n${said.stdout}${said.stderr}`)))
      }),
  }
}

/** The result of a program. */
export interface Ended {
  /** The exit code; `null` if a signal ended it. */
  readonly code: number | null
  /** Everything written to standard output. */
  readonly stdout: string
  /** Everything written to standard error. */
  readonly stderr: string
}

/** Runs a program to its end, without piped input. */
export function run(program: Program, ...args: readonly string[]): Promise<Ended> {
  return runWith({}, program, ...args)
}

/** Runs a program like {@link run}, through a shell command in which `$0 "$@"` is the program, such as one with a limit. */
export async function runInShell(command: string, program: Program, ...args: readonly string[]): Promise<Ended> {
  const all = [process.execPath, fileURLToPath(programs[program]), ...args]
  const running = watch(spawn("sh", ["-c", command, ...all]))
  running.leave()
  return running.ended
}

/** Runs a program like {@link run}, with piped input. */
export function runWith(options: StartOptions, program: Program, ...args: readonly string[]): Promise<Ended> {
  const running = startWith(options, program, ...args)
  if (options.input !== undefined) running.write(options.input)
  running.leave()
  return running.ended
}
