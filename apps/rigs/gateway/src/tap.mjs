// Runs a server, and records the methods that reach it: `tap.mjs <file> <script> [arguments]`.
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"

const [file, ...args] = process.argv.slice(2)
const offline = pathToFileURL(join(import.meta.dirname, "offline.mjs")).href
const child = spawn(process.execPath, ["--import", offline, ...args], { stdio: ["pipe", "inherit", "inherit"] })
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { method } = JSON.parse(line)
    if (method !== undefined) appendFileSync(file, `${method}\n`)
    child.stdin.write(`${line}\n`)
  })
  .on("close", () => child.stdin.end())
child.on("exit", (code) => process.exit(code ?? 1))
