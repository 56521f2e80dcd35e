import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../../demo/dist/main.js", import.meta.url))

/** The command with which a client starts the demo over stdio. */
export const demo: { readonly command: string; readonly args: string[] } = {
  command: process.execPath,
  args: [main, "--stdio", "--quiet"],
}

/** A running demo. */
export interface Demo {
  /** Its URL. */
  readonly url: string
  /** Stops it like a person would. Resolves with its exit code. */
  close(): Promise<number | null>
}

/** Starts the demo over HTTP on a free port. Rejects if it exits before printing its URL. */
export function startDemo(): Promise<Demo> {
  const child = spawn(process.execPath, [main, "--headless", "--port", "0", "--quiet"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const close = (): Promise<number | null> => {
    child.kill("SIGTERM")
    return ended
  }
  return new Promise((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const url = /served at (http:\S+)/.exec(line)?.[1]
      if (url !== undefined) resolve({ url, close })
    })
    void ended.then((code) => reject(new Error(`the demo ended with ${code} without printing its URL`)))
  })
}
