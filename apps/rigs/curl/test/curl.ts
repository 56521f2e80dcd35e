import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"

/** Starts a page's curl command with the URL of another server. */
export function startCurl(command: string, url: string): ChildProcessByStdio<null, Readable, Readable> {
  const [program, ...words] = toWords(command)
  if (program !== "curl") throw new Error(`found the command "${program}", expected "curl"`)
  const args = words.map((word) => (word.startsWith("http://localhost:") ? url : word))
  return spawn("curl", args, { stdio: ["ignore", "pipe", "pipe"] })
}

/** Runs a curl command until it ends. */
export async function runCurl(
  command: string,
  url: string,
): Promise<{ readonly printed: string; readonly log: string }> {
  const curl = startCurl(command, url)
  const failed = once(curl, "error").then(([cause]) => {
    throw new Error('"curl" could not be started: it has to be on the PATH, these tests run it', { cause })
  })
  const [printed, log] = await Promise.race([Promise.all([text(curl.stdout), text(curl.stderr)]), failed])
  return { printed, log }
}

/** Splits a command into words. Supports the shell syntax of the pages: plain quotes and continued lines. */
function toWords(command: string): readonly string[] {
  const words = command.replaceAll("\\\n", " ").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)
  return [...words].map(([, single, double, bare]) => single ?? double ?? bare ?? "")
}
