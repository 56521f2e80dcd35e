import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** Starts a built program of the demo, like `npm start` and clients do. It ends with the test. */
export function start(program: "main" | "tour", ...args: readonly string[]) {
  const entry = fileURLToPath(new URL(`../dist/${program}.js`, import.meta.url))
  const child = spawn(process.execPath, [entry, ...args], { stdio: ["pipe", "pipe", "pipe"] })
  onTestFinished(() => void child.kill("SIGKILL"))

  const output = { stdout: "", stderr: "" }
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text
    })
  }
  const ended = new Promise<{ code: number | null }>((resolve) => child.once("close", (code) => resolve({ code })))

  return {
    output,
    /** Resolves once the program has ended and its output is read. */
    ended,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Closes the program's input, like a leaving client. */
    leave: () => void child.stdin.end(),
    /** Resolves with the match once the program has printed it to stdout. */
    said: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(output.stdout)
          if (found) resolve(found)
        }
        child.stdout.on("data", look)
        look()
        void ended.then(() => reject(new Error(`ended without printing ${pattern}:\n${output.stdout}${output.stderr}`)))
      }),
  }
}
