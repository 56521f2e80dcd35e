// Runs a server, and notes which methods reach it: `tap.mjs <file> <script> [arguments]`.
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [file, ...args] = process.argv.slice(2)
const child = spawn(process.execPath, args, { stdio: ["pipe", "inherit", "inherit"] })
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { method } = JSON.parse(line)
    if (method !== undefined) appendFileSync(file, `${method}\n`)
    child.stdin.write(`${line}\n`)
  })
  .on("close", () => child.stdin.end())
child.on("exit", (code) => process.exit(code ?? 1))
